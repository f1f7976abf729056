//! Reproducible random numbers.

use std::env;
use std::time::Duration;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates a generator with a printed seed, or that of `PARAFA_FAULT_SEED`.
    pub(crate) fn seeded() -> Self {
        let asked = env::var("PARAFA_FAULT_SEED").ok();
        let seed = asked.map_or(0x5eed, |asked| asked.parse().expect("a number"));
        println!("PARAFA_FAULT_SEED={seed}");
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn length(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("small");
        usize::try_from(self.below(bound)).expect("small")
    }

    pub(crate) fn millis(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.below(most))
    }
}
