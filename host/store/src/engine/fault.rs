//! Faults that a test injects into [`MemoryEngine`](super::MemoryEngine).

/// Where a crash falls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CrashPoint {
    /// Before anything of the commit is durable.
    BeforeCommit,
    /// When the commit is durable and its caller has not been told.
    BeforeAcknowledgement,
}

/// A reproducible plan of faults: the same seed and calls give the same faults.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FaultPlan {
    /// Where the pseudo-random sequence starts.
    pub seed: u64,
    /// Of a thousand commits, how many conflict although their expectations hold.
    pub conflicts_per_mille: u16,
    /// A call yields to other tasks up to this many times before it acts.
    pub max_yields: u8,
    /// The commit (the first is 0) at which the engine crashes, and where in it.
    pub crash: Option<(u64, CrashPoint)>,
}

/// The plan as it unfolds.
#[derive(Debug)]
pub(super) struct Faults {
    plan: FaultPlan,
    state: u64,
    commits: u64,
}

impl Faults {
    pub(super) fn new(plan: FaultPlan) -> Self {
        Self {
            state: plan.seed,
            plan,
            commits: 0,
        }
    }

    pub(super) fn yields(&mut self) -> u64 {
        match self.plan.max_yields {
            0 => 0,
            most => self.next() % (u64::from(most) + 1),
        }
    }

    pub(super) fn conflict(&mut self) -> bool {
        match self.plan.conflicts_per_mille {
            0 => false,
            rate => self.next() % 1000 < u64::from(rate),
        }
    }

    /// How many commits were counted.
    pub(super) fn commits(&self) -> u64 {
        self.commits
    }

    /// Counts a commit and tells whether, and where, the engine crashes in it.
    pub(super) fn crash(&mut self) -> Option<CrashPoint> {
        let number = self.commits;
        self.commits += 1;
        self.plan
            .crash
            .filter(|(at, _)| *at == number)
            .map(|(_, point)| point)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
