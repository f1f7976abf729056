//! Generators of races.

use jiff::SignedDuration;
use parafa_api_signing::SigningOrder;
use parafa_store::faulty::{CrashPoint, FaultPlan};
use proptest::prelude::*;
use proptest::sample::Index;

use super::TICK;
use super::caller_requests::{Call, call};
use crate::tests::support::{REFUSES, SIGN};

/// A request to one of the two hosts, chosen by index.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Create {
        order: SigningOrder,
    },
    Start {
        signer: Index,
        person: &'static str,
    },
    /// A start without a personal code.
    StartByLink {
        signer: Index,
    },
    /// A phone follows an open link, by a scan or on the device that shows the
    /// page.
    Follow {
        link: Index,
        is_same_device: bool,
    },
    /// An app comes back to the page behind a link: the one that the link
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
    /// The time-stamping service becomes unavailable, or available again.
    Tsa {
        is_down: bool,
    },
    /// Time passes after this many switches to other tasks: leases end and
    /// turns lapse during work.
    Pass {
        switches: usize,
        time: SignedDuration,
    },
    /// A run of due jobs, repeated this many times.
    Jobs {
        times: usize,
    },
    /// Another request of the caller.
    Call(Call),
}

/// Concurrent acts.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) acts: Vec<(usize, Act)>,
    /// A suspended host.
    pub(super) suspension: Option<Suspended>,
    /// A host that is killed after this many task switches.
    pub(super) kill: Option<(usize, usize)>,
    /// Time that passes after the round.
    pub(super) pause: SignedDuration,
}

/// A suspension of a host until its leases have ended and the other host has
/// taken over. Then the host continues as if nothing had happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) host: usize,
    /// Task switches before the suspension.
    pub(super) switches: usize,
    /// Number of times that the other host runs due jobs meanwhile.
    pub(super) times: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) rounds: Vec<Round>,
    /// Faults of each host's engine, from its start to its crash.
    pub(super) faults: [Vec<FaultPlan>; 2],
    /// Lead of each host's clock over that of the records.
    pub(super) skews: [SignedDuration; 2],
    /// True if the remaining signers sign at the end; otherwise the deadline
    /// passes.
    pub(super) finishes: bool,
}

/// Generates races between signers.
pub(super) fn signers_race() -> impl Strategy<Value = Race> {
    race(act().boxed())
}

/// Generates races in which the caller makes every possible change.
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

/// Generates a clock skew. Clocks set by the network differ by less.
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

/// Generates a time in which a lease ends, a turn lapses or a deadline passes.
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
