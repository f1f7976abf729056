//! Sweeps for byte files and data keys that no row names. They are created before the row that
//! names them, so a crash in between leaves them orphaned. Once a day they are quarantined, and
//! removed a day later.
//!
//! A crash leaves few. Many orphans suggest lost rows, and nothing is moved or removed until an
//! operator confirms it.

mod row;

use std::time::Duration;

use jiff::SignedDuration;
use parafa_store::bytes::Sweep;
use parafa_store::clock::shifted;
use parafa_store::jobs::ClaimedJob;
use parafa_store::lease::{self, Acquired, Lease};
use parafa_store::{ByteFiles, DataKeys, NamedContent, Store, StoreError, Tables};
use serde_json::{Value, json};

use crate::error::PlatformError;
use crate::jobs::{hold, put_off, recur};
use crate::renewal::renewed_while;

pub use self::row::{Contents, SweepRow};

/// Kind of the job.
pub const SWEEP: &str = "sweep";

/// Time between two sweeps.
const EVERY: SignedDuration = SignedDuration::from_hours(24);
/// Duration of the lease for sweeping, unless renewed.
const TURN: SignedDuration = SignedDuration::from_secs(60);
const RENEW_EVERY: Duration = Duration::from_secs(20);
/// Most orphaned documents, and most keys, that are attributed to crashes.
pub const HANDFUL: usize = 16;
/// Orphans that are always attributed to crashes, however few files there are.
pub const FEW: usize = 4;
/// One file in this many may be orphaned, if that is more than [`FEW`].
pub const SHARE: usize = 100;

/// The rows, and the folders of their content.
pub struct Sweeper<'a> {
    /// The rows.
    pub store: &'a Store,
    /// Large content.
    pub files: &'a ByteFiles,
    /// The data keys.
    pub keys: &'a DataKeys,
    /// All tables that may exist.
    pub tables: Tables,
}

/// Outcome of a sweep.
#[derive(Debug)]
pub struct Outcome {
    /// Orphans left over.
    pub left: SweepRow,
    /// Orphans removed permanently.
    pub removed: Contents,
    /// Content restored from quarantine, because rows name it after all.
    pub brought_back: Contents,
}

impl Outcome {
    /// Returns the answer to an operator.
    pub fn shown(&self) -> Value {
        let mut shown = json!({
            "held": self.left.held,
            "quarantined": self.left.quarantined,
            "removed": self.removed,
            "broughtBack": self.brought_back,
        });
        if let Some(warning) = self.left.warning() {
            shown["warning"] = warning.into();
        }
        shown
    }
}

/// Schedules the daily sweep, by any host. It is due within a day even if the clock is set back.
///
/// # Errors
/// When the store fails.
pub async fn schedule(store: &Store) -> Result<(), StoreError> {
    recur(store, SWEEP, EVERY).await
}

impl Sweeper<'_> {
    /// Runs the daily sweep, then `also` for other daily cleaning, and reschedules itself for
    /// the next day. It is rescheduled soon while another host has the lease.
    ///
    /// # Errors
    /// When a folder or the rows cannot be read, and that of `also`.
    pub async fn run<E>(
        &self,
        job: &mut ClaimedJob,
        also: impl Future<Output = Result<(), E>>,
    ) -> Result<(), E>
    where
        E: From<PlatformError>,
    {
        let swept = hold(self.store, job, self.sweep(false)).await;
        let pause = match swept.map_err(PlatformError::from)? {
            Ok(_) => {
                also.await?;
                EVERY
            }
            // Another host is sweeping, or has died doing so.
            Err(PlatformError::SweepUnderWay) => TURN,
            Err(error) => return Err(error.into()),
        };
        let now = self.store.now().await.map_err(PlatformError::from)?;
        let put_off = put_off(self.store, job, shifted(now, pause)).await;
        Ok(put_off.map_err(PlatformError::from)?)
    }

    /// Does `work` under the lease for sweeping; returns `None` while another host has it. A
    /// store of a single process needs no lease.
    async fn in_turn<T>(
        &self,
        work: impl Future<Output = Result<T, PlatformError>>,
    ) -> Result<Option<T>, PlatformError> {
        if !self.store.is_shared() {
            return work.await.map(Some);
        }
        let acquired = self
            .store
            .transact(|tx| Box::pin(lease::acquire(tx, SWEEP, "host", TURN)))
            .await?;
        let Acquired::Taken(turn) = acquired else {
            return Ok(None);
        };
        let renew = |turn: Lease| async move {
            let held = &turn;
            let renewed = self
                .store
                .transact(|tx| Box::pin(lease::renew(tx, held, TURN)));
            renewed.await
        };
        let (done, turn) = renewed_while(work, RENEW_EVERY, turn, renew).await?;
        let turn = &turn;
        let released = self.store.transact(|tx| Box::pin(lease::release(tx, turn)));
        released.await?;
        done.map(Some)
    }

    /// Restores quarantined content that is named after all, because the records were restored
    /// meanwhile.
    ///
    /// # Errors
    /// When a folder or the rows cannot be read. Does nothing while another host sweeps, which
    /// restores too.
    pub async fn bring_back(&self) -> Result<Contents, PlatformError> {
        let brought_back = self.in_turn(self.bring_back_now()).await?;
        Ok(brought_back.unwrap_or_default())
    }

    async fn bring_back_now(&self) -> Result<Contents, PlatformError> {
        let [files, keys] = self.folders().await?;
        if files.count_waiting().await? + keys.count_waiting().await? == 0 {
            return Ok(Contents::default());
        }
        let named = self.tables.named_content(self.store).await?;
        bring_back(&files, &keys, &named).await
    }

    /// Quarantines orphans, and removes those quarantined long enough. Does neither if there are
    /// more than crashes leave, unless that is `confirmed`.
    ///
    /// Young files and keys are left alone, since their rows may be just being committed. While
    /// some row is unreadable, everything that it may name is left alone too, for a repair of
    /// the row. Partial files, and content of a kind that no such row names, are still swept.
    ///
    /// # Errors
    /// When a folder or the rows cannot be read; [`PlatformError::SweepUnderWay`].
    pub async fn sweep(&self, confirmed: bool) -> Result<Outcome, PlatformError> {
        let outcome = self.in_turn(self.sweep_now(confirmed)).await?;
        outcome.ok_or(PlatformError::SweepUnderWay)
    }

    async fn sweep_now(&self, confirmed: bool) -> Result<Outcome, PlatformError> {
        let named = self.tables.named_content(self.store).await?;
        for unread in named.unread() {
            let error: &dyn std::error::Error = &unread.error;
            tracing::error!(
                table = unread.table,
                rows = unread.rows,
                first = unread.first,
                error,
                "rows cannot be read: content that they may refer to is kept"
            );
        }
        let [files, keys] = self.folders().await?;
        let brought_back = bring_back(&files, &keys, &named).await?;
        let ownerless_files = files.ownerless(|id| named.names_file(id)).await?;
        let ownerless_keys = keys.ownerless(|id| named.names_key(id)).await?;
        let ownerless = Contents {
            documents: ownerless_files.len(),
            keys: ownerless_keys.len(),
        };
        let is_too_much = is_more_than_crashes_leave(ownerless.documents, named.file_count())
            || is_more_than_crashes_leave(ownerless.keys, named.key_count());
        let is_held = is_too_much && !confirmed;
        let mut removed = Contents::default();
        if !is_held {
            removed = Contents {
                documents: files.remove_waiting().await?,
                keys: keys.remove_waiting().await?,
            };
            files.quarantine(&ownerless_files).await?;
            keys.quarantine(&ownerless_keys).await?;
        }
        let left = SweepRow {
            held: if is_held {
                ownerless
            } else {
                Contents::default()
            },
            quarantined: Contents {
                documents: files.count_waiting().await?,
                keys: keys.count_waiting().await?,
            },
        };
        let outcome = Outcome {
            left,
            removed,
            brought_back,
        };
        outcome.log();
        self.note(left).await?;
        Ok(outcome)
    }

    /// Stores the warning to operators, which survives a restart.
    async fn note(&self, left: SweepRow) -> Result<(), PlatformError> {
        let noted = self.store.transact(|tx| {
            Box::pin(async move {
                if tx.get::<SweepRow>(&()).await?.unwrap_or_default() != left {
                    tx.put(&left).await?;
                }
                Ok::<_, StoreError>(())
            })
        });
        Ok(noted.await?)
    }

    async fn folders(&self) -> Result<[Sweep; 2], StoreError> {
        let (since, now) = (self.store.created_at(), self.store.now().await?);
        Ok([self.files.sweep(since, now), self.keys.sweep(since, now)])
    }
}

/// Returns whether the number of orphans in a folder suggests lost rows, while rows name
/// `named`.
fn is_more_than_crashes_leave(ownerless: usize, named: usize) -> bool {
    let share = (ownerless + named) / SHARE;
    ownerless > share.clamp(FEW, HANDFUL)
}

impl Outcome {
    fn log(&self) {
        if let Some(warning) = self.left.warning() {
            tracing::error!("{warning}");
        }
        let done = [self.left.quarantined, self.removed];
        if done != [Contents::default(); 2] {
            let [quarantined, removed] = done.map(|contents| contents.to_string());
            tracing::info!(quarantined, removed, "unreferenced content was swept");
        }
    }
}

async fn bring_back(
    files: &Sweep,
    keys: &Sweep,
    named: &NamedContent,
) -> Result<Contents, PlatformError> {
    let brought_back = Contents {
        keys: keys.bring_back(|id| named.names_key(id)).await?,
        documents: files.bring_back(|id| named.names_file(id)).await?,
    };
    if brought_back != Contents::default() {
        tracing::warn!("{brought_back} brought back from quarantine: rows refer to them");
    }
    Ok(brought_back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_leavings_of_a_crash_are_swept_from_a_small_store() {
        assert!(!is_more_than_crashes_leave(1, 49));
        assert!(!is_more_than_crashes_leave(FEW, 0));
        assert!(is_more_than_crashes_leave(FEW + 1, 45));
    }

    #[test]
    fn more_than_a_hundredth_is_held_and_so_is_more_than_a_handful() {
        assert!(!is_more_than_crashes_leave(10, 990));
        assert!(is_more_than_crashes_leave(11, 989));
        assert!(!is_more_than_crashes_leave(HANDFUL, 1_000_000));
        assert!(is_more_than_crashes_leave(HANDFUL + 1, 1_000_000));
    }
}
