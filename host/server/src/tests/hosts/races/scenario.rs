//! What may happen in a race.

use jiff::SignedDuration;
use parafa_api_signing::SigningOrder;
use parafa_store::faulty::{CrashPoint, FaultPlan};
use proptest::prelude::*;
use proptest::sample::Index;

use super::TICK;
use super::caller_requests::{Call, call};
use crate::tests::support::{REFUSES, SIGN};

/// What one of the two hosts, by its place, is asked for.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Create {
        order: SigningOrder,
    },
    Start {
        signer: Index,
        person: &'static str,
    },
    /// Without saying who they are.
    StartByLink {
        signer: Index,
    },
    /// A phone follows a link that is open, by a scan or on the device that shows
    /// the page.
    Follow {
        link: Index,
        is_same_device: bool,
    },
    /// An app comes back to the page behind a link: the one that the link has
    /// opened, or another one.
    ComeBack {
        link: Index,
        is_own: bool,
    },
    GiveUp {
        signer: Index,
    },
    Decline {
        signer: Index,
    },
    Look {
        signer: Index,
    },
    Cancel {
        signing: Index,
    },
    Erase {
        signing: Index,
    },
    Deadline {
        signing: Index,
        days: u16,
    },
    /// No time-stamp is to be had from now on, or there is again.
    Tsa {
        is_down: bool,
    },
    /// Time passes once so many switches to other tasks have been made: leases
    /// end and turns lapse under whoever is at work.
    Pass {
        switches: usize,
        time: SignedDuration,
    },
    /// Run what is due, so many times.
    Jobs {
        times: usize,
    },
    /// The caller wants something else.
    Call(Call),
}

/// Acts that happen at the same time.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) acts: Vec<(usize, Act)>,
    /// A host that is held up.
    pub(super) suspension: Option<Suspended>,
    /// A host that is killed after so many switches to another task.
    pub(super) kill: Option<(usize, usize)>,
    /// Time that passes afterwards.
    pub(super) pause: SignedDuration,
}

/// A host stands still until its leases have ended and the other one has taken
/// over what it did; then it goes on as if nothing had been.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) host: usize,
    /// Switches to another task before it.
    pub(super) switches: usize,
    /// How often the other one runs what is due meanwhile.
    pub(super) times: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) rounds: Vec<Round>,
    /// What goes wrong in each host's engine, from its start to its crash.
    pub(super) faults: [Vec<FaultPlan>; 2],
    /// How far each host's clock is ahead of the records'.
    pub(super) skews: [SignedDuration; 2],
    /// Whether those who have not signed do so at the end, or the deadline
    /// passes.
    pub(super) finishes: bool,
}

/// Races between signers.
pub(super) fn signers_race() -> impl Strategy<Value = Race> {
    race(act().boxed())
}

/// Races in which the caller changes whatever can be changed.
pub(super) fn callers_race() -> impl Strategy<Value = Race> {
    race(prop_oneof![2 => act(), 1 => call().prop_map(Act::Call)].boxed())
}

fn race(act: BoxedStrategy<Act>) -> impl Strategy<Value = Race> {
    let faults = || proptest::collection::vec(fault_plan(), 4);
    let rounds = proptest::collection::vec(round(act), 4..16);
    let faults = [faults(), faults()];
    (rounds, faults, [skew(), skew()], any::<bool>()).prop_map(
        |(rounds, faults, skews, finishes)| Race {
            rounds,
            faults,
            skews,
            finishes,
        },
    )
}

fn round(act: BoxedStrategy<Act>) -> impl Strategy<Value = Round> {
    let acts = proptest::collection::vec((0..2_usize, act), 1..6);
    let kill = proptest::option::weighted(0.1, (0..2_usize, 0..64_usize));
    let suspension = proptest::option::weighted(0.25, suspension());
    (acts, suspension, kill, pause()).prop_map(|(acts, suspension, kill, pause)| Round {
        acts,
        suspension,
        kill,
        pause,
    })
}

fn suspension() -> impl Strategy<Value = Suspended> {
    (0..2_usize, 0..64_usize, 1..4_usize).prop_map(|(host, switches, times)| Suspended {
        host,
        switches,
        times,
    })
}

/// Clocks that are set by the network differ by less.
fn skew() -> impl Strategy<Value = SignedDuration> {
    (-60..=60_i64).prop_map(SignedDuration::from_secs)
}

fn act() -> impl Strategy<Value = Act> {
    let order = prop_oneof![Just(SigningOrder::Parallel), Just(SigningOrder::Sequential)];
    let person = prop_oneof![
        4 => Just(SIGN[0]),
        4 => Just(SIGN[1]),
        1 => Just(REFUSES),
    ];
    let start = (any::<Index>(), person);
    let follow = (any::<Index>(), proptest::bool::weighted(0.7));
    let come_back = (any::<Index>(), any::<bool>());
    prop_oneof![
        1 => order.prop_map(|order| Act::Create { order }),
        6 => start.prop_map(|(signer, person)| Act::Start { signer, person }),
        3 => any::<Index>().prop_map(|signer| Act::StartByLink { signer }),
        4 => follow.prop_map(|(link, is_same_device)| Act::Follow { link, is_same_device }),
        4 => come_back.prop_map(|(link, is_own)| Act::ComeBack { link, is_own }),
        1 => any::<Index>().prop_map(|signer| Act::GiveUp { signer }),
        1 => any::<Index>().prop_map(|signer| Act::Decline { signer }),
        1 => any::<Index>().prop_map(|signer| Act::Look { signer }),
        1 => any::<Index>().prop_map(|signing| Act::Cancel { signing }),
        1 => any::<Index>().prop_map(|signing| Act::Erase { signing }),
        1 => (any::<Index>(), 1..=2_u16)
            .prop_map(|(signing, days)| Act::Deadline { signing, days }),
        1 => any::<bool>().prop_map(|is_down| Act::Tsa { is_down }),
        3 => (0..200_usize, lapse()).prop_map(|(switches, time)| Act::Pass { switches, time }),
        8 => (1..8_usize).prop_map(|times| Act::Jobs { times }),
    ]
}

fn pause() -> impl Strategy<Value = SignedDuration> {
    prop_oneof![
        8 => Just(SignedDuration::ZERO),
        4 => Just(SignedDuration::from_secs(5)),
        4 => Just(TICK),
        1 => Just(SignedDuration::from_mins(16)),
        1 => Just(SignedDuration::from_hours(25)),
    ]
}

/// Time in which a lease ends, a turn lapses or a deadline passes.
fn lapse() -> impl Strategy<Value = SignedDuration> {
    prop_oneof![
        8 => Just(TICK),
        2 => Just(SignedDuration::from_mins(16)),
        1 => Just(SignedDuration::from_hours(25)),
    ]
}

fn fault_plan() -> impl Strategy<Value = FaultPlan> {
    let point = prop_oneof![
        Just(CrashPoint::BeforeCommit),
        Just(CrashPoint::BeforeAcknowledgement)
    ];
    let crash = proptest::option::of((0..120_u64, point));
    (any::<u64>(), 0..200_u16, 0..4_u8, crash).prop_map(
        |(seed, conflicts_per_mille, max_yields, crash)| FaultPlan {
            seed,
            conflicts_per_mille,
            max_yields,
            crash,
        },
    )
}
