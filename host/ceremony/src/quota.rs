//! Quotas of a workspace: in total, per minute, and by the free space of the disk.
//!
//! The store adds up the stored bytes, from the rows of ceremonies and of the
//! products. A request reserves quota before it writes documents, and holds it
//! until their rows are committed. Requests in flight therefore cannot exceed a
//! quota together on one host. Hosts that share a store see each other's stored
//! bytes, but not their reservations.

mod pace;
mod space;

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::{Records, log_failure};
use parafa_store::{QuotaAmounts, QuotaKey, Store, StoreError};
use tokio::time::Instant;

use self::pace::Pace;
use self::space::{FreeSpace, OncePerMinute};
use crate::metrics::{Shortage, upload_refused};

impl Quota {
    /// Returns the name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::StoredBytes => "stored-bytes",
            Self::OpenSignings => "open-signings",
        }
    }
}

/// Delay before a retry when the disk is nearly full, in seconds: an operator must
/// act, or content must expire.
const SPACE_RETRY_SECONDS: u32 = 60;

/// Free space that the server needs for any write, in bytes: a few documents, and
/// as many pages of the records.
const LEAST_FREE_BYTES: u64 = 1_000_000;

/// Delay before a retry when the records do not tell how much is stored, in
/// seconds.
const RECORDS_RETRY_SECONDS: u32 = 5;
/// Checks of a request that would exceed a quota while others are being stored,
/// which count twice at that moment.
const LOOKS: usize = 3;

/// Kinds of quotas.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quota {
    /// Bytes of documents.
    StoredBytes,
    /// Signings that have not ended.
    OpenSignings,
}

/// A quota that a request would exceed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QuotaExceeded {
    /// The kind.
    pub quota: Quota,
    /// Present use, including requests in flight.
    pub used: u64,
    /// The request's addition.
    pub wanted: u64,
    /// The limit.
    pub allowed: u64,
}

/// Quotas of workspaces.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Quotas {
    /// Limits of each workspace's live keys.
    pub live: QuotaLimits,
    /// Limits of each workspace's test keys.
    pub sandbox: QuotaLimits,
    /// Free space that uploads leave on the disk, in bytes.
    pub reserve_bytes: u64,
}

/// Limits of one workspace in one mode.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QuotaLimits {
    /// Bytes of documents: every version of every ceremony, and stored files.
    pub stored_bytes: u64,
    /// Signings that have not ended.
    pub open_signings: u64,
    /// Bytes of documents stored within a minute.
    pub bytes_per_minute: NonZeroU64,
}

/// Reason why a request's documents are refused; nothing of it is stored then.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NoRoom {
    /// The workspace would exceed a quota.
    #[error("a quota would be exceeded: {0:?}")]
    QuotaExceeded(QuotaExceeded),
    /// The workspace exceeds its bytes per minute.
    #[error("too many bytes in a minute")]
    TooManyBytes {
        /// Seconds until the bytes are allowed.
        retry_after: u32,
    },
    /// The disk has too little free space for more documents.
    #[error("the disk is nearly full")]
    DiskFull {
        /// Seconds until a retry.
        retry_after: u32,
    },
    /// The records do not tell how much is stored.
    #[error("the stored amounts cannot be added up")]
    NotCounted {
        /// Seconds until a retry.
        retry_after: u32,
    },
}

/// Free space of the disk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DiskRoom {
    /// Enough for documents, or unknown.
    Enough,
    /// Less than the reserve: uploads are refused, but existing documents can be
    /// signed.
    Reserve {
        /// Free bytes.
        free: u64,
        /// Bytes of the reserve.
        reserve: u64,
    },
    /// None.
    Full {
        /// Free bytes.
        free: u64,
    },
}

/// Admission of uploads within the quotas.
pub struct Uploads {
    store: Store,
    quotas: Quotas,
    /// Reservations of requests in flight.
    reserved: Mutex<HashMap<QuotaKey, QuotaAmounts>>,
    pace: Pace,
    space: FreeSpace,
    told_of_reserve: OncePerMinute,
}

/// A request's reservation, until dropped. The transaction that stores its content
/// holds it until that is counted as stored, even if the caller is gone.
pub struct Room {
    uploads: Arc<Uploads>,
    of: QuotaKey,
    wanted: QuotaAmounts,
}

impl Uploads {
    /// Creates the admission by `quotas`, which watches the disks of `records`.
    pub fn new(quotas: Quotas, records: &Records) -> Self {
        Self {
            store: records.store.clone(),
            reserved: Mutex::default(),
            pace: Pace::default(),
            space: FreeSpace::new(records.clone()),
            told_of_reserve: OncePerMinute::default(),
            quotas,
        }
    }

    /// Returns the free bytes for documents; `None` if unknown.
    pub async fn free_space(&self) -> Option<u64> {
        self.space.now(Instant::now()).await
    }

    /// Returns the state of the disk.
    pub async fn disk_room(&self) -> DiskRoom {
        let reserve = self.quotas.reserve_bytes;
        match self.free_space().await {
            Some(free) if free < LEAST_FREE_BYTES => DiskRoom::Full { free },
            Some(free) if free < reserve => DiskRoom::Reserve { free, reserve },
            _ => DiskRoom::Enough,
        }
    }

    fn limits_of(&self, mode: KeyMode) -> &QuotaLimits {
        match mode {
            KeyMode::Live => &self.quotas.live,
            KeyMode::Test => &self.quotas.sandbox,
        }
    }

    /// Reserves quota in addition to the requests in flight; returns those
    /// reservations.
    fn reserve(self: &Arc<Self>, of: QuotaKey, wanted: QuotaAmounts) -> (Room, QuotaAmounts) {
        let mut reserved = self.locked();
        let entry = reserved.entry(of).or_default();
        let before = *entry;
        *entry = sum(before, wanted);
        let room = Room {
            uploads: Arc::clone(self),
            of,
            wanted,
        };
        (room, before)
    }

    /// Returns the bytes reserved by all requests in flight.
    fn bytes_in_flight(&self) -> u64 {
        let reserved = self.locked();
        let bytes = reserved.values().map(|[bytes, _]| bytes);
        bytes.fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<QuotaKey, QuotaAmounts>> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Uploads {
    /// Overrides the free space of the disk, for tests.
    pub fn seem_free(&self, bytes: u64) {
        self.space.seem(bytes);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut reserved = self.uploads.locked();
        if let Some(entry) = reserved.get_mut(&self.of) {
            *entry = [0, 1].map(|one| entry[one].saturating_sub(self.wanted[one]));
            if *entry == [0, 0] {
                reserved.remove(&self.of);
            }
        }
    }
}

impl Uploads {
    /// Returns the use of all workspaces in one mode.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn usage_of_all(&self, mode: KeyMode) -> Result<Usage, StoreError> {
        let limits = self.limits_of(mode);
        let (mut total, mut most) = ([0, 0], [0, 0]);
        for ((_, live), amounts) in self.store.all_sums().await? {
            if live == (mode == KeyMode::Live) {
                total = sum(total, amounts);
                most = [0, 1].map(|one| amounts[one].max(most[one]));
            }
        }
        let share = |used: u64, allowed: u64| used as f64 / allowed as f64;
        Ok(Usage {
            total,
            fullest: [
                (Quota::StoredBytes, share(most[0], limits.stored_bytes)),
                (Quota::OpenSignings, share(most[1], limits.open_signings)),
            ],
        })
    }

    /// Reserves quota for this many bytes of documents and new ceremonies, before
    /// anything is written.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub async fn room(
        self: &Arc<Self>,
        caller: &Caller,
        bytes: u64,
        ceremonies: u64,
    ) -> Result<Arc<Room>, NoRoom> {
        let room = self.take_room(caller, [bytes, ceremonies]).await;
        if let Err(error) = &room {
            upload_refused(Shortage::of(error), caller.mode);
        }
        room
    }

    async fn take_room(
        self: &Arc<Self>,
        caller: &Caller,
        wanted: QuotaAmounts,
    ) -> Result<Arc<Room>, NoRoom> {
        let limits = self.limits_of(caller.mode);
        let of = (caller.tenant, caller.mode == KeyMode::Live);
        let (room, in_flight) = self.reserve(of, wanted);
        self.check_quotas(limits, &room, in_flight).await?;
        let now = Instant::now();
        if let Some(free) = self.space.now(now).await
            && free
                < self
                    .quotas
                    .reserve_bytes
                    .saturating_add(self.bytes_in_flight())
        {
            if self.told_of_reserve.is_due(now) {
                tracing::warn!(free, "the disk is nearly full: documents are refused");
            }
            return Err(NoRoom::DiskFull {
                retry_after: SPACE_RETRY_SECONDS,
            });
        }
        let [bytes, _] = wanted;
        match self.pace.take(of, bytes, limits.bytes_per_minute, now) {
            Ok(()) => Ok(Arc::new(room)),
            Err(retry_after) => Err(NoRoom::TooManyBytes { retry_after }),
        }
    }
}

impl Uploads {
    /// Compares the stored content, and other reservations, with the quotas.
    async fn check_quotas(
        &self,
        limits: &QuotaLimits,
        room: &Room,
        mut in_flight: QuotaAmounts,
    ) -> Result<(), NoRoom> {
        let mut looks = 1;
        loop {
            let stored = self.store.sum(&room.of).await.map_err(|error| {
                log_failure(&error, "how much a workspace stores cannot be looked up");
                NoRoom::NotCounted {
                    retry_after: RECORDS_RETRY_SECONDS,
                }
            })?;
            let used = sum(stored, in_flight);
            let Some(exceeded) = exceeded(limits, used, room.wanted) else {
                return Ok(());
            };
            let still_in_flight = self.in_flight_beside(room);
            if still_in_flight == in_flight || looks == LOOKS {
                return Err(NoRoom::QuotaExceeded(exceeded));
            }
            (in_flight, looks) = (still_in_flight, looks + 1);
        }
    }

    /// Returns the reservations of other requests in flight.
    fn in_flight_beside(&self, room: &Room) -> QuotaAmounts {
        let all = self.locked().get(&room.of).copied().unwrap_or_default();
        [0, 1].map(|one| all[one].saturating_sub(room.wanted[one]))
    }
}

/// Use of all workspaces in one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Bytes and open ceremonies of all of them.
    pub total: QuotaAmounts,
    /// For each quota, the greatest share used by a workspace; 1 is all.
    pub fullest: [(Quota, f64); 2],
}

/// Returns the first quota that would be exceeded by an addition to it.
fn exceeded(
    limits: &QuotaLimits,
    used: QuotaAmounts,
    wanted: QuotaAmounts,
) -> Option<QuotaExceeded> {
    let allowed = [limits.stored_bytes, limits.open_signings];
    let quotas = [Quota::StoredBytes, Quota::OpenSignings];
    (0..quotas.len())
        .map(|one| QuotaExceeded {
            quota: quotas[one],
            used: used[one],
            wanted: wanted[one],
            allowed: allowed[one],
        })
        .find(|one| one.wanted > 0 && one.used.saturating_add(one.wanted) > one.allowed)
}

fn sum(one: QuotaAmounts, other: QuotaAmounts) -> QuotaAmounts {
    [
        one[0].saturating_add(other[0]),
        one[1].saturating_add(other[1]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: QuotaLimits = QuotaLimits {
        stored_bytes: 100,
        open_signings: 3,
        bytes_per_minute: NonZeroU64::MIN,
    };

    #[test]
    fn a_quota_may_be_used_up_and_not_exceeded() {
        assert_eq!(exceeded(&LIMITS, [60, 2], [40, 1]), None);
        let bytes = exceeded(&LIMITS, [60, 2], [41, 1]).unwrap();
        assert_eq!(
            (bytes.quota, bytes.used, bytes.wanted),
            (Quota::StoredBytes, 60, 41)
        );
        let open = exceeded(&LIMITS, [60, 3], [40, 1]).unwrap();
        assert_eq!((open.quota, open.allowed), (Quota::OpenSignings, 3));
    }

    #[test]
    fn whoever_adds_nothing_to_a_quota_is_not_refused_because_of_it() {
        assert_eq!(exceeded(&LIMITS, [50, 9], [40, 0]), None);
    }
}
