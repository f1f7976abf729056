//! Rate limits of prompts on one person's phone, over all callers: anyone with a
//! personal code can make it ring.
//!
//! A request that names a person counts from its creation, because it may reach
//! the phone at any time from then on. It no longer counts once it is completed,
//! or has ended without reaching the phone. A provider can use up its own
//! allowance for a person, which is a third of the person's.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::AuthenticationStatus;
use parafa_platform::seconds_until;
use parafa_store::clock::shifted;
use parafa_store::{Guard, Page, Transaction};
use uuid::Uuid;

use crate::error::AuthError;
use crate::records::{REQUESTS_TO_PERSON, RequestRow};

/// Limits of counted requests.
struct Allowance {
    /// Requests that wait for the person.
    waiting: usize,
    /// Requests of the last hour that wait or failed.
    hourly: usize,
}

/// Allowance of one provider for one person.
const OF_PROVIDER: Allowance = Allowance {
    waiting: 4,
    hourly: 10,
};
/// Allowance of all providers for one person: three of them must use up theirs to
/// exhaust it.
const OF_PERSON: Allowance = Allowance {
    waiting: 3 * OF_PROVIDER.waiting,
    hourly: 3 * OF_PROVIDER.hourly,
};
/// Time that a request counts.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// More rows than are counted: none is added beyond the hourly limit.
const MOST_ROWS: usize = 2 * OF_PERSON.hourly;

/// Checks that the person's device may be prompted once more.
pub(crate) async fn check(tx: &mut Transaction<'_>, row: &RequestRow) -> Result<(), AuthError> {
    let Some(person) = &row.person else {
        return Ok(());
    };
    let now = tx.now();
    // Serializes requests for one person.
    let name = person.get(..32).and_then(|hex| Uuid::parse_str(hex).ok());
    let guard = || Guard::row::<RequestRow>(&name.unwrap_or_default());
    let page = Page::newest(MOST_ROWS);
    let found = tx
        .page_by(&REQUESTS_TO_PERSON, person, &page, guard())
        .await?;
    tx.touch(guard())?;
    let counting: Vec<_> = found
        .rows
        .iter()
        .filter_map(|row| Prompt::of(row, now))
        .collect();
    let own = counting
        .iter()
        .filter(|prompt| prompt.provider == row.provider);
    let own: Vec<_> = own.copied().collect();
    match OF_PROVIDER.ends(&own).max(OF_PERSON.ends(&counting)) {
        Some(ends) => Err(AuthError::TooManyRequests {
            retry_after: seconds_until(ends, now),
        }),
        None => Ok(()),
    }
}

/// A counted request.
#[derive(Clone, Copy)]
struct Prompt {
    provider: Uuid,
    /// Time until which it counts.
    counts_until: Timestamp,
    /// Time until which it waits at most, if it does.
    waits_until: Option<Timestamp>,
}

impl Prompt {
    fn of(row: &RequestRow, now: Timestamp) -> Option<Self> {
        let status = row.state.status(now);
        let counts_until = shifted(row.created_at.min(now), WINDOW);
        let counts = status != AuthenticationStatus::Completed && now < counts_until;
        counts.then(|| Self {
            provider: row.provider,
            counts_until,
            waits_until: (!status.is_terminal()).then(|| row.state.expires_at()),
        })
    }
}

impl Allowance {
    /// Returns when one more request is allowed, if it is not now.
    fn ends(&self, counting: &[Prompt]) -> Option<Timestamp> {
        let waiting = counting.iter().filter_map(|prompt| prompt.waits_until);
        let hourly = counting.iter().map(|prompt| prompt.counts_until);
        let ends = nth_end(waiting.collect(), self.waiting);
        ends.max(nth_end(hourly.collect(), self.hourly))
    }
}

/// Returns when fewer than `most` of these are left, if there are not now.
fn nth_end(mut ends: Vec<Timestamp>, most: usize) -> Option<Timestamp> {
    ends.sort_unstable();
    let too_many = ends.len().checked_sub(most)?;
    ends.get(too_many).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::constant(second, 0)
    }

    fn prompt(counts_until: i64, waits_until: Option<i64>) -> Prompt {
        Prompt {
            provider: Uuid::nil(),
            counts_until: at(counts_until),
            waits_until: waits_until.map(at),
        }
    }

    #[test]
    fn an_allowance_ends_when_enough_of_what_counts_is_over() {
        let allowance = Allowance {
            waiting: 2,
            hourly: 4,
        };
        let two = [prompt(3600, Some(300)), prompt(3500, Some(200))];
        let three = [&two[..], &[prompt(3400, Some(100))]].concat();
        let ended = |count: usize| vec![prompt(3000, None); count];

        assert_eq!(allowance.ends(&two[..1]), None);
        assert_eq!(allowance.ends(&two), Some(at(200)));
        assert_eq!(allowance.ends(&three), Some(at(200)), "one too many");
        assert_eq!(allowance.ends(&ended(3)), None);
        assert_eq!(allowance.ends(&ended(4)), Some(at(3000)));
        let both = [&two[..], &ended(2)].concat();
        assert_eq!(allowance.ends(&both), Some(at(3000)), "the later of both");
    }
}
