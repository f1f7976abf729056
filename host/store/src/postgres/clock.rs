//! The database's clock, shared by all hosts.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::database::Database;
use super::error::DatabaseError;
use super::statements::Statement;
use crate::clock::{Clock, shifted};

/// Interval between readings.
const EVERY: Duration = Duration::from_secs(10);
/// Largest error of an accepted reading.
const EXACT: SignedDuration = SignedDuration::from_millis(500);
/// Attempts to get an exact first reading.
const TRIES: u32 = 3;
/// Deviation of this machine's clock that needs no warning.
const TOLERATED: SignedDuration = SignedDuration::from_secs(5);

/// A clock with the time of a database: its last reading, advanced by this machine's monotonic
/// clock. It is read every ten seconds and continues while the database is unavailable.
#[derive(Clone, Debug)]
pub struct DatabaseClock(Arc<Mutex<Reading>>);

#[derive(Clone, Copy, Debug)]
struct Reading {
    shown: Timestamp,
    at: Instant,
    /// Largest error, in either direction.
    error: SignedDuration,
}

impl DatabaseClock {
    async fn of(database: &Database) -> Result<Self, DatabaseError> {
        let mut reading = Reading::take(database).await?;
        for _ in 1..TRIES {
            if reading.is_exact() {
                break;
            }
            reading = Reading::take(database).await?.or_more_exact(reading);
        }
        reading.compare_with_system();
        let shared = Arc::new(Mutex::new(reading));
        tokio::spawn(keep_in_step(database.clone(), Arc::downgrade(&shared)));
        Ok(Self(shared))
    }
}

impl Database {
    /// Returns a clock synchronized with the database.
    ///
    /// # Errors
    /// An unavailable database.
    pub async fn clock(&self) -> Result<DatabaseClock, DatabaseError> {
        DatabaseClock::of(self).await
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let reading = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reading.now()
    }
}

impl Reading {
    /// Reads the time. It is assigned to the middle of the wait for the answer, without failed
    /// attempts and waits for a connection.
    async fn take(database: &Database) -> Result<Self, DatabaseError> {
        let (rows, begun) = database.query_since(Statement::Time, &[]).await?;
        let half = begun.elapsed() / 2;
        let at = begun + half;
        let shown = rows.first().map(|row| row.try_get(0)).transpose()?;
        let shown = shown.and_then(|shown| Timestamp::from_microsecond(shown).ok());
        let shown = shown.ok_or(DatabaseError::Damaged {
            what: "the database's time",
        })?;
        Ok(Self {
            shown,
            at,
            error: SignedDuration::try_from(half).unwrap_or(SignedDuration::MAX),
        })
    }

    fn now(self) -> Timestamp {
        let passed = SignedDuration::try_from(self.at.elapsed()).unwrap_or(SignedDuration::MAX);
        shifted(self.shown, passed)
    }

    fn is_exact(self) -> bool {
        self.error <= EXACT
    }

    fn or_more_exact(self, other: Self) -> Self {
        if other.error < self.error {
            other
        } else {
            self
        }
    }

    /// Chooses between this reading and the next one. The next is taken unless it is inexact, or
    /// sets the clock back by no more than both errors. An inexact reading is replaced.
    fn followed_by(self, next: Self) -> Self {
        let back = self.now().duration_since(next.now());
        let is_noise = self.is_exact() && back.is_positive() && back <= self.error + next.error;
        if next.is_exact() && !is_noise {
            next
        } else {
            self
        }
    }

    /// Warns when this machine's clock is far off: logs and TLS certificate checks, for example,
    /// depend on it.
    fn compare_with_system(self) {
        let difference = Timestamp::now().duration_since(self.now());
        if difference.abs() > TOLERATED {
            tracing::warn!(
                seconds = difference.as_secs(),
                "this machine's clock is ahead of the database's: synchronize both by NTP"
            );
        }
    }
}

/// Repeats readings until the clock is dropped.
async fn keep_in_step(database: Database, clock: Weak<Mutex<Reading>>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(clock) = clock.upgrade() else {
            return;
        };
        // Skipped while unavailable: callers in need of the database report that.
        if let Ok(reading) = Reading::take(&database).await {
            reading.compare_with_system();
            let mut shown = clock.lock().unwrap_or_else(PoisonError::into_inner);
            *shown = shown.followed_by(reading);
        }
    }
}

#[cfg(test)]
mod tests {
    use parafa_test_services::{Postgres, Proxy, Traffic};

    use super::*;
    use crate::postgres::database::tests::options;

    const NOON: Timestamp = Timestamp::constant(1_772_366_400, 0);

    fn reading(millis_past_noon: i64, error_millis: i64) -> Reading {
        Reading {
            shown: NOON + SignedDuration::from_millis(millis_past_noon),
            at: Instant::now(),
            error: SignedDuration::from_millis(error_millis),
        }
    }

    /// Returns the time past noon that a clock shows if it takes the second reading at the moment
    /// of the first.
    fn shown_after(first: (i64, i64), second: (i64, i64)) -> SignedDuration {
        let mut first = reading(first.0, first.1);
        let second = reading(second.0, second.1);
        first.at = second.at;
        first.followed_by(second).shown.duration_since(NOON)
    }

    #[test]
    fn a_clock_goes_back_only_where_it_was_wrong_for_sure() {
        let millis = SignedDuration::from_millis;

        assert_eq!(shown_after((100, 20), (90, 20)), millis(100));
        assert_eq!(shown_after((100, 20), (30, 20)), millis(30));
        assert_eq!(shown_after((100, 20), (110, 20)), millis(110));
    }

    #[test]
    fn a_reading_that_took_long_changes_nothing() {
        let millis = SignedDuration::from_millis;

        assert_eq!(shown_after((100, 1), (9000, 4000)), millis(100));
        assert_eq!(shown_after((3000, 4000), (0, 1)), millis(0));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_reading_after_an_outage_is_not_wrong_by_the_wait_for_its_end() {
        const OUTAGE: Duration = Duration::from_secs(3);
        let server = Postgres::shared();
        let proxy = Proxy::before(server.port());
        let options = options(&proxy.url(&server.database().name));
        let database = Database::open(&options).await.expect("a database");
        Reading::take(&database).await.expect("the time");
        proxy.set(Traffic::Refused);
        proxy.cut();

        let (read, ()) = tokio::join!(Reading::take(&database), async {
            tokio::time::sleep(OUTAGE).await;
            proxy.set(Traffic::Passed);
        });

        let read = read.expect("the time");
        let off = read.now().duration_since(Timestamp::now()).abs();
        assert!(off < EXACT && read.is_exact(), "{off}, {read:?}");
    }
}
