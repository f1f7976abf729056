//! Storage quotas of workspaces.

use std::num::{NonZeroU32, NonZeroU64};

use parafa_ceremony::quota::{QuotaLimits, Quotas};
use parafa_store::StoreMode;

use super::Limits;
use super::limits::DEMO_RATES;

/// 1 000 000 bytes.
const MEGABYTE: NonZeroU64 = NonZeroU64::new(1_000_000).expect("it is not zero");

/// Default quota of a workspace.
const STORED_MEGABYTES: NonZeroU32 = NonZeroU32::new(50_000).expect("it is not zero");
const OPEN_SIGNINGS: NonZeroU32 = NonZeroU32::new(10_000).expect("it is not zero");
/// Default quota of its sandbox.
const SANDBOX_STORED_MEGABYTES: NonZeroU32 = NonZeroU32::new(1_000).expect("it is not zero");
const SANDBOX_OPEN_SIGNINGS: NonZeroU32 = NonZeroU32::new(1_000).expect("it is not zero");
/// Twice the largest batch: 20 documents of 15 MiB each.
const MEGABYTES_PER_MINUTE: NonZeroU32 = NonZeroU32::new(630).expect("it is not zero");
/// Default of the free space that uploads leave: room for some time of
/// signatures, and for the records' log.
const FREE_MEGABYTES: u32 = 1_000;
/// Default of the free space in a demo, which may run on a small disk.
const DEMO_FREE_MEGABYTES: u32 = 100;

impl Limits {
    /// Returns the quotas of workspaces. The demo is as generous as with
    /// requests.
    pub(crate) fn quotas(&self, mode: StoreMode) -> Quotas {
        let generous = |set: Option<NonZeroU32>, usual: NonZeroU32| {
            let count = set.unwrap_or(match mode {
                StoreMode::Demo => usual.saturating_mul(DEMO_RATES),
                StoreMode::Production => usual,
            });
            NonZeroU64::from(count)
        };
        let megabytes = |set, usual: NonZeroU32| generous(set, usual).saturating_mul(MEGABYTE);
        let bytes_per_minute = megabytes(self.stored_megabytes_per_minute, MEGABYTES_PER_MINUTE);
        let reserve = self.free_megabytes.unwrap_or(match mode {
            StoreMode::Demo => DEMO_FREE_MEGABYTES,
            StoreMode::Production => FREE_MEGABYTES,
        });
        Quotas {
            live: QuotaLimits {
                stored_bytes: megabytes(self.stored_megabytes, STORED_MEGABYTES).get(),
                open_signings: generous(self.open_signings, OPEN_SIGNINGS).get(),
                bytes_per_minute,
            },
            sandbox: QuotaLimits {
                stored_bytes: megabytes(self.sandbox_stored_megabytes, SANDBOX_STORED_MEGABYTES)
                    .get(),
                open_signings: generous(self.sandbox_open_signings, SANDBOX_OPEN_SIGNINGS).get(),
                bytes_per_minute,
            },
            reserve_bytes: u64::from(reserve) * MEGABYTE.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_has_less_and_the_demo_more() {
        let limits = Limits::default();
        let usual = limits.quotas(StoreMode::Production);
        assert_eq!(usual.live.stored_bytes, 50_000_000_000);
        assert_eq!(
            (usual.live.open_signings, usual.sandbox.open_signings),
            (10_000, 1_000)
        );
        assert!(usual.sandbox.stored_bytes < usual.live.stored_bytes);

        let demo = limits.quotas(StoreMode::Demo);
        assert_eq!(demo.live.open_signings, 1_000_000);
        assert!(demo.reserve_bytes < usual.reserve_bytes);
    }

    #[test]
    fn what_is_set_holds_in_the_demo_too() {
        let limits = Limits {
            sandbox_open_signings: NonZeroU32::new(7),
            stored_megabytes_per_minute: NonZeroU32::new(2),
            free_megabytes: Some(0),
            ..Limits::default()
        };
        let demo = limits.quotas(StoreMode::Demo);

        assert_eq!(demo.sandbox.open_signings, 7);
        assert_eq!(demo.live.bytes_per_minute.get(), 2_000_000);
        assert_eq!(demo.reserve_bytes, 0);
        assert_eq!(demo.live.open_signings, 1_000_000);
    }
}
