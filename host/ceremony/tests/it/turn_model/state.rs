//! States of the model, and the code's own ceremony for each.

use jiff::Timestamp;
use parafa_domain::{
    AttemptId, Ceremony, CeremonyId, CeremonyStatus, MAX_ABSENCE, MethodSet, NewCeremony,
    NewSigner, SignerId, SignerRole, SignerStatus, SigningMethod, SigningOrder, Turn,
};
use uuid::Uuid;

/// The deadline, in ticks.
pub(super) const DEADLINE: u8 = 2;
/// Last tick: nothing more comes by time alone.
pub(super) const LAST_TICK: u8 = 3;
const MOST_VERSIONS: usize = 4;
const START: Timestamp = Timestamp::constant(1_773_219_600, 0);

/// A signer's way of signing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// By a prompt: the attempt takes its turn when it starts.
    Prompted,
    /// By a link to an app on the same device, which must return.
    Linked,
    /// With a card, whose app submits a certificate and a signature.
    Card,
}

/// A check of the code that can be omitted, to show its effect.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Guard {
    /// The claim on the job is still valid.
    Claim,
    /// The attempt is still at the step that was done.
    Step,
    /// The turn is the attempt's.
    Turn,
    /// A turn does not lapse once the device has signed.
    Hold,
    /// The base is the newest version when it is requested and stored.
    Base,
    /// The base is the newest version when the device has signed.
    SignedBase,
    /// A step ends no attempt whose event it has not seen.
    Unseen,
    /// An app's return is not given up.
    Accepted,
}

/// Scope of the exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The two signers' ways of signing.
    pub(super) kinds: [Kind; 2],
    /// Ticks by which each host's clock is ahead.
    pub(super) ahead: [u8; 2],
    /// Most deaths of a host, or jobs held so long that another host takes them.
    pub(super) faults: u8,
    /// Most cases of giving up, declining, retracting, erasing or archiving.
    pub(super) spoilers: u8,
    /// Longest turn, and time limit of a card's app, in ticks.
    pub(super) term: u8,
    /// No device ever gives its certificate.
    pub(super) is_deaf: bool,
    /// Omitted checks.
    pub(super) unchecked: &'static [Guard],
}

impl Rules {
    pub(super) fn checks(&self, guard: Guard) -> bool {
        !self.unchecked.contains(&guard)
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Failure {
    Cancelled,
    DocumentChanged,
    SigningInProgress,
    Timeout,
}

/// Next step of an attempt.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Step {
    AwaitCard,
    Certificate,
    Prepare,
    Ask,
    AwaitSignature,
    AwaitReturn,
    Finish,
    Done,
    Failed(Failure),
}

impl Step {
    pub(super) fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Device {
    Idle,
    Asked,
    Signed,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Job {
    Gone,
    Due(u8),
    /// Claimed by this host, or by one that has died.
    Claimed(Option<usize>),
}

/// An attempt's row and job, and the state of its signer's device.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Attempt {
    pub(super) step: Step,
    pub(super) base: usize,
    pub(super) awaits_turn: bool,
    /// The event of the step has come: a submission of a card's app, or an app's return.
    pub(super) has_come: bool,
    pub(super) device: Device,
    pub(super) job: Job,
}

/// A step in progress on a host, with the rows as read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Work {
    pub(super) attempt: usize,
    pub(super) step: Step,
    pub(super) has_come: bool,
    pub(super) over: Option<Failure>,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Maker {
    Upload,
    Archive,
    Attempt(usize),
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Version {
    pub(super) by: Maker,
    /// Index of the version from which it was made.
    pub(super) base: usize,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct TurnState {
    pub(super) of: usize,
    pub(super) until: u8,
    pub(super) present_until: Option<u8>,
    pub(super) device_signed: bool,
}

/// Everything stored, everything known to hosts, and the time.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct State {
    pub(super) now: u8,
    pub(super) status: CeremonyStatus,
    pub(super) signers: [SignerStatus; 2],
    pub(super) turn: Option<TurnState>,
    pub(super) is_erased: bool,
    pub(super) versions: [Option<Version>; MOST_VERSIONS],
    /// The single attempt of each signer.
    pub(super) attempts: [Option<Attempt>; 2],
    pub(super) hosts: [Option<Work>; 2],
    pub(super) faults: u8,
    pub(super) spoilers: u8,
}

impl State {
    pub(super) fn first(rules: &Rules) -> Self {
        let upload = Version {
            by: Maker::Upload,
            base: 0,
        };
        Self {
            now: 0,
            status: CeremonyStatus::Pending,
            signers: [SignerStatus::Pending; 2],
            turn: None,
            is_erased: false,
            versions: [Some(upload), None, None, None],
            attempts: [None; 2],
            hosts: [None; 2],
            faults: rules.faults,
            spoilers: rules.spoilers,
        }
    }

    pub(super) fn versions(&self) -> impl Iterator<Item = Version> {
        self.versions.into_iter().flatten()
    }

    /// Returns the index of the newest version.
    pub(super) fn newest(&self) -> usize {
        self.versions().count() - 1
    }

    pub(super) fn add_if_room(&mut self, version: Version) {
        if let Some(free) = self.versions.iter_mut().find(|place| place.is_none()) {
            *free = Some(version);
        }
    }

    pub(super) fn running(&self) -> impl Iterator<Item = (usize, Attempt)> {
        let attempts = self.attempts.into_iter().enumerate();
        let attempts = attempts.filter_map(|(n, attempt)| Some((n, attempt?)));
        attempts.filter(|(_, attempt)| !attempt.step.has_ended())
    }

    pub(super) fn has_turn(&self, of: usize) -> bool {
        self.turn.is_some_and(|turn| turn.of == of)
    }

    pub(super) fn has_device_signed(&self, of: usize) -> bool {
        self.turn
            .is_some_and(|turn| turn.of == of && turn.device_signed)
    }

    /// Normalises differences that can no longer matter.
    pub(super) fn plain(mut self, rules: &Rules) -> Self {
        let earliest = self.now;
        if let Some(turn) = &mut self.turn {
            if turn.device_signed {
                turn.until = 0;
                turn.present_until = None;
            } else if turn.until <= earliest {
                turn.until = 0;
            }
            let has_lapsed = turn.until == 0 && !turn.device_signed;
            if let Some(until) = &mut turn.present_until
                && (has_lapsed || *until <= earliest)
            {
                *until = 0;
            }
        }
        self.forget_lost_work(rules);
        for attempt in self.attempts.iter_mut().flatten() {
            if attempt.step.has_ended() {
                attempt.base = 0;
                attempt.awaits_turn = false;
                attempt.has_come = false;
                attempt.device = Device::Idle;
            }
            if attempt.awaits_turn {
                attempt.base = 0;
            }
            if matches!(attempt.step, Step::Finish | Step::AwaitReturn) {
                attempt.device = Device::Idle;
            }
            if let Job::Due(due) = &mut attempt.job
                && *due <= earliest
            {
                *due = 0;
            }
        }
        if rules.ahead[0] == rules.ahead[1] && self.hosts[0] > self.hosts[1] {
            self.swap_hosts();
        }
        let is_idle = self.hosts.iter().all(Option::is_none) && self.running().next().is_none();
        if is_idle && self.status != CeremonyStatus::Pending {
            self.now = LAST_TICK;
            self.faults = 0;
            self.spoilers = 0;
        }
        self
    }

    fn swap_hosts(&mut self) {
        self.hosts.swap(0, 1);
        for attempt in self.attempts.iter_mut().flatten() {
            if let Job::Claimed(Some(host)) = &mut attempt.job {
                *host = 1 - *host;
            }
        }
    }

    /// Removes work that can no longer be stored: a host whose claim is gone stores nothing,
    /// and a claim without work is a dead host's.
    fn forget_lost_work(&mut self, rules: &Rules) {
        for host in [0, 1] {
            let attempt = self.hosts[host].and_then(|work| self.attempts[work.attempt]);
            let is_claimed = attempt.is_some_and(|attempt| attempt.job == Job::Claimed(Some(host)));
            if rules.checks(Guard::Claim) && !is_claimed {
                self.hosts[host] = None;
            }
        }
        for (n, attempt) in self.attempts.iter_mut().enumerate() {
            if let Some(attempt) = attempt
                && let Job::Claimed(Some(host)) = attempt.job
                && self.hosts[host].is_none_or(|work| work.attempt != n)
            {
                attempt.job = Job::Claimed(None);
            }
        }
    }
}

/// Returns the time of a tick. Ticks are as far apart as a page may be silent.
pub(super) fn at(tick: u8) -> Timestamp {
    START + MAX_ABSENCE * i32::from(tick)
}

fn tick_of(time: Timestamp) -> u8 {
    let ticks = time.duration_since(at(0)).as_secs() / MAX_ABSENCE.as_secs();
    u8::try_from(ticks).unwrap()
}

pub(super) fn signer_id(n: usize) -> SignerId {
    SignerId::new(Uuid::from_u128(1 + n as u128))
}

pub(super) fn attempt_id(n: usize) -> AttemptId {
    AttemptId::new(Uuid::from_u128(101 + n as u128))
}

/// The code's ceremony. A state keeps the parts of it that the rules of turns need.
pub(super) struct Ceremonies(Ceremony);

impl Default for Ceremonies {
    fn default() -> Self {
        let signer = |n| NewSigner {
            id: signer_id(n),
            role: SignerRole::Signer,
            language: None,
            methods: MethodSet::from_iter([SigningMethod::SmartId]),
            identity_locked: false,
        };
        let new = NewCeremony {
            id: CeremonyId::new(Uuid::from_u128(99)),
            order: SigningOrder::Parallel,
            signers: vec![signer(0), signer(1)],
            expires_at: at(DEADLINE),
            soft_deadline_at: None,
        };
        Self(Ceremony::create(new, at(0)))
    }
}

impl Ceremonies {
    pub(super) fn of(&self, state: &State) -> Ceremony {
        let mut ceremony = self.0.clone();
        ceremony.status = state.status;
        for (n, party) in ceremony.signers.iter_mut().enumerate() {
            party.status = state.signers[n];
            party.attempt = state.attempts[n].map(|_| attempt_id(n));
        }
        ceremony.turn = state.turn.map(|turn| Turn {
            attempt: attempt_id(turn.of),
            signer: signer_id(turn.of),
            until: at(turn.until),
            present_until: turn.present_until.map(at),
            device_signed: turn.device_signed,
        });
        ceremony
    }
}

impl State {
    /// Takes over the ceremony's state from the code.
    pub(super) fn take_over(&mut self, ceremony: &Ceremony) {
        self.status = ceremony.status;
        for (n, party) in ceremony.signers.iter().enumerate() {
            self.signers[n] = party.status;
        }
        self.turn = ceremony.turn.map(|turn| TurnState {
            of: usize::from(turn.signer == signer_id(1)),
            until: tick_of(turn.until),
            present_until: turn.present_until.map(tick_of),
            device_signed: turn.device_signed,
        });
    }
}
