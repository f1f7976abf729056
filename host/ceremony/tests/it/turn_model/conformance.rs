//! Conformance of the ceremonies to the model: the same acts have the same results. No device
//! answers here, so both cover lapsing turns, ending attempts and callers' actions.

use parafa_ceremony::CeremonyError;
use parafa_ceremony::ceremonies::{OpenedLink, StartAttempt};
use parafa_ceremony::records::{AttemptRow, CeremonyRow};
use parafa_domain::{AttemptFailure, CeremonyStatus, MAX_ABSENCE, SignerStatus, SigningMethod};

use super::PROMPTS;
use super::moves::{Model, Move};
use super::state::{DEADLINE, Failure, LAST_TICK, Rules, State, Step, at};
use crate::support::{CALLER, Stage};

const TRACES: u64 = 40;
const MOST_ACTS: usize = 10;
/// Acts; ticks are more frequent than spoiling ones.
const ACTS: [Move; 13] = [
    Move::Start(0),
    Move::Start(1),
    Move::Start(1),
    Move::SeePage(0),
    Move::SeePage(1),
    Move::Tick,
    Move::Tick,
    Move::Tick,
    Move::GiveUp(0),
    Move::GiveUp(1),
    Move::Decline(1),
    Move::Cancel,
    Move::Erase,
];
/// A turn of fifteen minutes, and devices that never answer.
const RULES: Rules = Rules {
    spoilers: u8::MAX,
    term: 30,
    is_deaf: true,
    ..PROMPTS
};

/// Observable state of a ceremony.
#[derive(Debug, Eq, PartialEq)]
struct Seen {
    status: CeremonyStatus,
    signers: Vec<SignerStatus>,
    turn: Option<usize>,
    is_erased: bool,
    attempts: Vec<SeenAttempt>,
}

#[derive(Debug, Eq, PartialEq)]
enum SeenAttempt {
    None,
    Running,
    Ended(Option<AttemptFailure>),
}

#[tokio::test]
async fn ceremonies_go_as_the_model_has_it() {
    for trace in 0..TRACES {
        let model = Model::new(RULES);
        let mut state = State::first(&RULES).plain(&RULES);
        let stage = Stage::set().await;
        end_at_the_models_deadline(&stage).await;
        let mut done = Vec::new();
        for by in acts(trace) {
            let is_pages = !matches!(by, Move::Tick | Move::Cancel | Move::Erase);
            let is_again = matches!(by, Move::Start(n) if state.attempts[n].is_some());
            // Links are closed after the deadline, and the model has one attempt per signer.
            if is_again || (is_pages && state.now >= DEADLINE) {
                continue;
            }
            if by == Move::Tick {
                if state.now == LAST_TICK {
                    break;
                }
                stage.clock.advance(MAX_ABSENCE);
                stage.run_all().await;
                state = after_a_tick(&model, &state);
            } else {
                // A refused act changes nothing, which is all that counts here.
                let _ = act(&stage, by).await;
                state = after(&model, &state, |it| it == by).unwrap_or(state);
            }
            done.push(by);
            assert_eq!(seen(&stage).await, modelled(&state), "{trace}: {done:?}");
            if state.status != CeremonyStatus::Pending {
                break;
            }
        }
        assert!(!done.is_empty(), "{trace}");
    }
}

/// Returns the acts of a trace, the same in each run.
fn acts(trace: u64) -> impl Iterator<Item = Move> {
    let mut random = trace;
    let acts = (0..MOST_ACTS).map(move |_| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = usize::try_from(random >> 33).unwrap() % ACTS.len();
        ACTS[place]
    });
    [Move::Start(0)].into_iter().chain(acts)
}

fn after(model: &Model, state: &State, is_it: impl Fn(Move) -> bool) -> Option<State> {
    let mut moves = model.moves(state).into_iter();
    moves.find(|(by, _)| is_it(*by)).map(|(_, next)| next)
}

/// Advances the time and does a step of each running attempt.
fn after_a_tick(model: &Model, state: &State) -> State {
    let mut state = after(model, state, |by| by == Move::Tick).unwrap();
    for n in [0, 1] {
        let claims = |by: Move| matches!(by, Move::Claim { attempt, .. } if attempt == n);
        if let Some(claimed) = after(model, &state, claims) {
            let stores = |by: Move| matches!(by, Move::Store { .. });
            state = after(model, &claimed, stores).unwrap();
        }
    }
    state
}

async fn end_at_the_models_deadline(stage: &Stage) {
    let mut row = row(stage).await;
    row.ceremony.expires_at = at(DEADLINE);
    let row = &row;
    let stored: Result<(), CeremonyError> = stage
        .records
        .store
        .transact(|tx| Box::pin(async move { Ok(tx.put(row).await?) }))
        .await;
    stored.unwrap();
}

async fn row(stage: &Stage) -> CeremonyRow {
    let row = stage.records.store.get::<CeremonyRow>(&stage.ceremony);
    row.await.unwrap().unwrap()
}

async fn link(stage: &Stage, n: usize) -> Result<OpenedLink, CeremonyError> {
    let signer = row(stage).await.ceremony.signers[n].id.uuid();
    let token = stage.ceremonies.links().ceremony_token(signer);
    stage.ceremonies.open_link(token.reveal()).await
}

async fn act(stage: &Stage, by: Move) -> Result<(), CeremonyError> {
    let ceremonies = &stage.ceremonies;
    match by {
        Move::Start(n) => {
            let start = StartAttempt {
                method: SigningMethod::SmartId,
                person: Some("PNOLT-50001029996".to_owned()),
                phone_number: None,
                document_sha256: None,
                language: None,
            };
            ceremonies.start_attempt(link(stage, n).await?, start).await
        }
        Move::SeePage(n) => ceremonies.state(link(stage, n).await?).await.map(drop),
        Move::GiveUp(n) => ceremonies.give_up_attempt(&link(stage, n).await?).await,
        Move::Decline(n) => {
            let declined = ceremonies.decline(&link(stage, n).await?, None).await;
            declined.map(drop)
        }
        Move::Cancel => ceremonies.cancel(&CALLER, stage.ceremony).await.map(drop),
        Move::Erase => ceremonies.erase(&CALLER, stage.ceremony).await.map(drop),
        other => unreachable!("{other:?} is no act of these traces"),
    }
}

async fn seen(stage: &Stage) -> Seen {
    let row = row(stage).await;
    let ceremony = &row.ceremony;
    let store = &stage.records.store;
    let now = store.now().await.unwrap();
    let mut attempts = Vec::new();
    for party in &ceremony.signers {
        attempts.push(match party.attempt {
            None => SeenAttempt::None,
            Some(id) => {
                let attempt = store.get::<AttemptRow>(&id.uuid()).await.unwrap().unwrap();
                match attempt.phase.is_terminal() {
                    true => SeenAttempt::Ended(attempt.failure),
                    false => SeenAttempt::Running,
                }
            }
        });
    }
    let turn = ceremony.current_turn(now);
    Seen {
        status: ceremony.status,
        signers: ceremony.signers.iter().map(|party| party.status).collect(),
        turn: turn.map(|turn| usize::from(turn.signer == ceremony.signers[1].id)),
        is_erased: row.erased_at.is_some(),
        attempts,
    }
}

fn modelled(state: &State) -> Seen {
    let is_there = |until: Option<u8>| until.is_none_or(|until| state.now < until);
    let turn = state.turn.filter(|turn| {
        turn.device_signed || (state.now < turn.until && is_there(turn.present_until))
    });
    let attempts = state.attempts.iter().map(|attempt| match attempt {
        None => SeenAttempt::None,
        Some(attempt) => match attempt.step {
            Step::Failed(failure) => SeenAttempt::Ended(Some(code(failure))),
            Step::Done => SeenAttempt::Ended(None),
            _ => SeenAttempt::Running,
        },
    });
    Seen {
        status: state.status,
        signers: state.signers.to_vec(),
        turn: turn.map(|turn| turn.of),
        is_erased: state.is_erased,
        attempts: attempts.collect(),
    }
}

fn code(failure: Failure) -> AttemptFailure {
    match failure {
        Failure::Cancelled => AttemptFailure::Cancelled,
        Failure::DocumentChanged => AttemptFailure::DocumentChanged,
        Failure::SigningInProgress => AttemptFailure::SigningInProgress,
        Failure::Timeout => AttemptFailure::Timeout,
    }
}
