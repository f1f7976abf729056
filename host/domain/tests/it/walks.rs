//! Random walks: no sequence of calls leaves the tables of transitions.

use jiff::Timestamp;
use parafa_domain::{
    AttemptId, Ceremony, CeremonyEvent, CeremonyStatus, MAX_PARTIES, MethodSet, SignerId,
    SignerRole, SignerStatus, SigningMethod, SigningOrder, Simulation,
};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::{DAY, HOUR, now, of_parties, party};

/// A call, and the age of the state on which it was decided.
#[derive(Clone, Copy, Debug)]
struct Step {
    call: Call,
    /// Index of the party in that state.
    whom: usize,
    /// Number of steps since the caller looked; ids, deadlines and clock are of that state.
    stale: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Call {
    Add(SignerRole),
    Ask,
    Begin,
    BeSeen,
    Cancel,
    ChangeDeadline,
    ChangeMethods,
    Decline,
    DeviceSigned,
    End,
    Erase,
    Expire,
    Fail,
    Remind,
    Remove,
    Sign,
    SimulateComplete,
    SimulateDecline,
    SimulateExpire,
    TakeTurn,
    Wait,
}

/// Calls that may take a ceremony from pending to each status.
const SIGNING_TRANSITIONS: &[(CeremonyStatus, &[Call])] = &[
    (
        CeremonyStatus::Completed,
        &[Call::Sign, Call::Remove, Call::SimulateComplete],
    ),
    (
        CeremonyStatus::Declined,
        &[
            Call::Decline,
            Call::Sign,
            Call::Remove,
            Call::SimulateDecline,
        ],
    ),
    (
        CeremonyStatus::Expired,
        &[Call::Expire, Call::Erase, Call::Sign, Call::SimulateExpire],
    ),
    (CeremonyStatus::Cancelled, &[Call::Cancel, Call::Erase]),
    (CeremonyStatus::Failed, &[Call::Fail]),
];

/// Every transition of a signer, with the calls that may cause it.
const SIGNER_TRANSITIONS: &[(SignerStatus, SignerStatus, &[Call])] = &[
    (SignerStatus::Pending, SignerStatus::Signed, &[Call::Sign]),
    (
        SignerStatus::Pending,
        SignerStatus::Declined,
        &[Call::Decline, Call::SimulateDecline],
    ),
    (
        SignerStatus::Pending,
        SignerStatus::Simulated,
        &[Call::SimulateComplete],
    ),
    (
        SignerStatus::Pending,
        SignerStatus::Cancelled,
        &[Call::Cancel, Call::Erase, Call::Fail, Call::SimulateDecline],
    ),
    (
        SignerStatus::Pending,
        SignerStatus::Expired,
        &[Call::Expire, Call::Erase, Call::Sign, Call::SimulateExpire],
    ),
    (
        SignerStatus::Waiting,
        SignerStatus::Pending,
        &[Call::Sign, Call::Remove],
    ),
    (
        SignerStatus::Waiting,
        SignerStatus::Declined,
        &[Call::SimulateDecline],
    ),
    (
        SignerStatus::Waiting,
        SignerStatus::Simulated,
        &[Call::SimulateComplete],
    ),
    (
        SignerStatus::Waiting,
        SignerStatus::Cancelled,
        &[
            Call::Cancel,
            Call::Decline,
            Call::Erase,
            Call::Fail,
            Call::SimulateDecline,
        ],
    ),
    (
        SignerStatus::Waiting,
        SignerStatus::Expired,
        &[Call::Expire, Call::Erase, Call::Sign, Call::SimulateExpire],
    ),
];

/// A ceremony, its state after each step, and the time.
struct Walk {
    signing: Ceremony,
    seen: Vec<(Ceremony, Timestamp)>,
    clock: Timestamp,
    next_id: u128,
}

impl Walk {
    fn begin(order: SigningOrder) -> Self {
        let roles = [
            SignerRole::Signer,
            SignerRole::Viewer,
            SignerRole::Signer,
            SignerRole::Signer,
        ];
        let parties = roles.iter().zip(1..).map(|(&role, n)| party(n, role));
        let signing = of_parties(order, parties.collect());
        Self {
            seen: vec![(signing.clone(), now())],
            signing,
            clock: now(),
            next_id: 100,
        }
    }

    fn step(&mut self, step: Step) -> Vec<CeremonyEvent> {
        let looked = self.seen.len().saturating_sub(1 + step.stale);
        let (seen, then) = self.seen[looked].clone();
        let whom = seen.signers.get(step.whom % seen.signers.len().max(1));
        let whom = whom.map_or(SignerId::new(Uuid::nil()), |signer| signer.id);
        let attempt = seen.signer(whom).and_then(|signer| signer.attempt);
        let attempt = attempt.unwrap_or(AttemptId::new(Uuid::nil()));
        let events = self.call(step.call, whom, attempt, then);
        self.seen.push((self.signing.clone(), self.clock));
        events
    }

    fn call(
        &mut self,
        call: Call,
        whom: SignerId,
        attempt: AttemptId,
        then: Timestamp,
    ) -> Vec<CeremonyEvent> {
        let signing = &mut self.signing;
        match call {
            Call::Add(role) => {
                self.next_id += 1;
                // A refusal must change nothing; its kind does not matter here.
                let _ = signing.add_signer(party(self.next_id, role), then);
                Vec::new()
            }
            Call::Begin => {
                self.next_id += 1;
                let id = AttemptId::new(Uuid::from_u128(self.next_id));
                let method = SigningMethod::SmartId;
                let _ = signing.begin_attempt(whom, id, method, then);
                Vec::new()
            }
            Call::TakeTurn => {
                let _ = signing.take_turn(attempt, then, then + HOUR);
                Vec::new()
            }
            Call::Ask => {
                let _ = signing.ask_device(attempt, None);
                Vec::new()
            }
            Call::BeSeen => {
                signing.note_presence(whom, then);
                Vec::new()
            }
            Call::Cancel => signing.cancel(then).unwrap_or_default(),
            Call::ChangeDeadline => {
                let _ = signing.change_deadline(then + DAY, then);
                Vec::new()
            }
            Call::ChangeMethods => {
                let methods = MethodSet::from_iter([SigningMethod::SmartId]);
                let _ = signing.change_methods(whom, &methods, then);
                Vec::new()
            }
            Call::Decline => signing.decline(whom, then).unwrap_or_default(),
            Call::DeviceSigned => {
                let _ = signing.device_signed(attempt, then);
                Vec::new()
            }
            Call::End => {
                signing.end_turn(attempt);
                Vec::new()
            }
            Call::Erase => signing.end_for_erasure(then),
            Call::Expire => signing.expire(then),
            Call::Fail => signing.fail(then),
            Call::Remind => {
                let _ = signing.remind(whom, then);
                Vec::new()
            }
            Call::Remove => signing.remove_signer(whom, then).unwrap_or_default(),
            Call::Sign => signing
                .sign(attempt, SigningMethod::SmartId, then)
                .unwrap_or_default(),
            Call::SimulateComplete => signing
                .simulate(Simulation::Complete, then)
                .unwrap_or_default(),
            Call::SimulateDecline => signing
                .simulate(Simulation::Decline { signer: Some(whom) }, then)
                .unwrap_or_default(),
            Call::SimulateExpire => signing
                .simulate(Simulation::Expire, then)
                .unwrap_or_default(),
            Call::Wait => {
                self.clock += HOUR * 5;
                Vec::new()
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let frequent = prop_oneof![
        Just(Call::Begin),
        Just(Call::TakeTurn),
        Just(Call::Sign),
        Just(Call::DeviceSigned),
        Just(Call::Wait),
    ];
    let seldom = prop_oneof![
        Just(Call::Add(SignerRole::Signer)),
        Just(Call::Add(SignerRole::Viewer)),
        Just(Call::Ask),
        Just(Call::BeSeen),
        Just(Call::ChangeDeadline),
        Just(Call::ChangeMethods),
        Just(Call::Decline),
        Just(Call::End),
        Just(Call::Expire),
        Just(Call::Remind),
        Just(Call::Remove),
    ];
    let last = prop_oneof![
        Just(Call::Cancel),
        Just(Call::Erase),
        Just(Call::Fail),
        Just(Call::SimulateComplete),
        Just(Call::SimulateDecline),
        Just(Call::SimulateExpire),
    ];
    let call = prop_oneof![10 => frequent, 8 => seldom, 1 => last];
    let step =
        (call, 0..6_usize, 0..4_usize).prop_map(|(call, whom, stale)| Step { call, whom, stale });
    proptest::collection::vec(step, 0..60)
}

fn check_step(before: &Ceremony, after: &Ceremony, call: Call) -> Result<(), TestCaseError> {
    if before.status.is_terminal() {
        prop_assert_eq!(after, before, "an ended signing never changes");
        return Ok(());
    }
    if after.status != before.status {
        let allowed = SIGNING_TRANSITIONS
            .iter()
            .any(|(to, calls)| *to == after.status && calls.contains(&call));
        prop_assert!(allowed, "{call:?} made it {:?}", after.status);
    }
    for was in &before.signers {
        let Some(is) = after.signer(was.id) else {
            prop_assert_eq!(call, Call::Remove, "only a removed party is gone");
            prop_assert!(was.status.is_open() || was.role == SignerRole::Viewer);
            continue;
        };
        let listed = |(from, to, calls): &(SignerStatus, SignerStatus, &[Call])| {
            *from == was.status && *to == is.status && calls.contains(&call)
        };
        prop_assert!(
            was.status == is.status || SIGNER_TRANSITIONS.iter().any(listed),
            "{call:?} took a signer from {:?} to {:?}",
            was.status,
            is.status
        );
    }
    Ok(())
}

fn check_state(signing: &Ceremony) -> Result<(), TestCaseError> {
    let count = |wanted: SignerStatus| {
        let parties = signing.signers.iter();
        parties.filter(|party| party.status == wanted).count()
    };
    let open = count(SignerStatus::Pending) + count(SignerStatus::Waiting);
    let is_pending = signing.status == CeremonyStatus::Pending;
    prop_assert_eq!(
        open > 0,
        is_pending,
        "it is pending while somebody can sign"
    );
    if is_pending {
        prop_assert!(count(SignerStatus::Pending) > 0, "it is somebody's turn");
    }
    match signing.order {
        SigningOrder::Sequential => {
            prop_assert!(count(SignerStatus::Pending) <= 1, "one signer at a time");
        }
        SigningOrder::Parallel => prop_assert_eq!(count(SignerStatus::Waiting), 0),
    }
    prop_assert!(signing.signers.len() <= MAX_PARTIES);
    prop_assert_eq!(signing.ended_at.is_none(), is_pending);
    let is_completed = signing.status == CeremonyStatus::Completed;
    prop_assert_eq!(signing.completed_at.is_some(), is_completed);
    prop_assert_eq!(signing.completion_mode.is_some(), is_completed);
    for party in &signing.signers {
        prop_assert_eq!(
            party.role == SignerRole::Viewer,
            party.status == SignerStatus::Recorded
        );
        prop_assert_eq!(
            party.signed_at.is_some(),
            party.status == SignerStatus::Signed
        );
        prop_assert_eq!(
            party.declined_at.is_some(),
            party.status == SignerStatus::Declined
        );
        prop_assert_eq!(
            party.simulated_at.is_some(),
            party.status == SignerStatus::Simulated
        );
    }
    if let Some(turn) = signing.turn {
        let holder = signing.signer(turn.signer).map(|party| party.status);
        prop_assert_eq!(holder, Some(SignerStatus::Pending), "who signs can sign");
        let newest = signing.signer(turn.signer).and_then(|party| party.attempt);
        prop_assert_eq!(
            newest,
            Some(turn.attempt),
            "an attempt that is over has no turn"
        );
    }
    Ok(())
}

fn ends_ceremony(event: CeremonyEvent) -> bool {
    use CeremonyEvent::{SignerDeclined, SignerReleased, SignerSigned};

    !matches!(
        event,
        SignerDeclined(_) | SignerReleased(_) | SignerSigned(_)
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_sequence_of_calls_leaves_the_tables(sequential: bool, steps in steps()) {
        let order = if sequential { SigningOrder::Sequential } else { SigningOrder::Parallel };
        let mut walk = Walk::begin(order);
        let mut ends = 0;
        for step in steps {
            let before = walk.signing.clone();
            let events = walk.step(step);
            check_step(&before, &walk.signing, step.call)?;
            check_state(&walk.signing)?;
            ends += events.iter().filter(|event| ends_ceremony(**event)).count();
            prop_assert_eq!(ends, usize::from(walk.signing.status.is_terminal()), "one end, told once");
        }
    }
}
