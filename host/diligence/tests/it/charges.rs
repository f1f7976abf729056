//! Charges for answers, each made once.

use futures::future::join_all;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_http::{IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation};
use parafa_diligence::{Answered, DiligenceError};
use parafa_platform::PlatformError;
use parafa_platform::accounts::Caller;
use parafa_platform::billing::Amount;
use parafa_platform::detached::Waiter;
use parafa_platform::idempotency::Claim;
use parafa_platform::register_calls::CallOutcome;

use crate::stage::{COMPLETE, LIVE, REQUEST, Stage};

/// Concurrent callers.
const CALLERS: usize = 30;
/// The price of an answer about court cases, in cents.
const CASES: u64 = 10;

const OPTIONS: AnswerOptions = AnswerOptions {
    interpret: false,
    form: Form::Json,
    purpose: None,
};

fn cases() -> Question {
    Question::Cases(COMPLETE.parse().unwrap())
}

impl Stage {
    /// Asks for a caller who is gone by the time the register answers.
    async fn ask_and_leave(&self, caller: &Caller) -> Result<Answered, DiligenceError> {
        let awaited = Waiter::default().awaited();
        let question = cases();
        let asked = self
            .diligence
            .answer(caller, &question, OPTIONS, REQUEST, &awaited);
        asked.await
    }

    async fn reserve(&self) -> Reservation<Claim> {
        let request = IdempotentRequest {
            key: IdempotencyKey::parse(b"once").unwrap(),
            method: "GET".parse().unwrap(),
            path: format!("/v1/entities/{COMPLETE}/cases"),
            body_sha256: [0; 32],
        };
        let reserved = self.diligence.idempotency.reserve(LIVE.key, &request);
        reserved.await.unwrap()
    }

    async fn claim(&self) -> Caller {
        match self.reserve().await {
            Reservation::Claimed(claim) => LIVE.claiming(claim),
            other => panic!("{other:?}"),
        }
    }

    async fn outcomes(&self) -> Vec<(CallOutcome, Amount)> {
        let logged = self.logged().await.into_iter();
        logged.map(|row| (row.outcome, row.charged)).collect()
    }
}

#[tokio::test]
async fn whoever_is_gone_before_the_answer_is_ready_is_logged_and_not_charged() {
    let stage = Stage::set().await;

    let asked = stage.ask_and_leave(&LIVE).await;

    assert!(matches!(asked, Err(DiligenceError::Abandoned)), "{asked:?}");
    let [logged] = &stage.logged().await[..] else {
        panic!("one call was made")
    };
    assert_eq!(logged.outcome, CallOutcome::Abandoned);
    assert_eq!(logged.raw_sha256.len(), 1, "its register was asked");
    assert_eq!(logged.charged, Amount::default());
    assert_eq!(stage.ledger().await.len(), 0);
}

#[tokio::test]
async fn of_many_callers_at_once_those_who_wait_are_charged_to_the_cent_and_up_to_the_ceiling() {
    const GONE: usize = 10;
    const PAID: usize = 15;

    let stage = Stage::set().await;
    stage.fund(Some(CASES * PAID as u64)).await;
    stage.registers.answer_together(CALLERS);

    let question = cases();
    let waiting = (GONE..CALLERS).map(|_| stage.answer(&LIVE, &question, OPTIONS));
    let gone = (0..GONE).map(|_| stage.ask_and_leave(&LIVE));
    let (waited, left) = tokio::join!(join_all(waiting), join_all(gone));

    let is_gone = |one: &Result<_, _>| matches!(one, Err(DiligenceError::Abandoned));
    assert!(left.iter().all(is_gone));
    assert_eq!(waited.iter().filter(|one| one.is_ok()).count(), PAID);
    let outcomes = stage.outcomes().await;
    let count = |of| {
        outcomes
            .iter()
            .filter(|(outcome, _)| *outcome == of)
            .count()
    };
    assert_eq!(count(CallOutcome::Answered), PAID);
    assert_eq!(count(CallOutcome::Abandoned), GONE);
    assert_eq!(count(CallOutcome::PaymentRequired), CALLERS - GONE - PAID);
    let billed: Vec<Amount> = stage.ledger().await.iter().map(|row| row.amount).collect();
    assert_eq!(billed, [Amount::from_cents(CASES); PAID]);
}

#[tokio::test]
async fn a_claimed_call_is_charged_once_and_its_answer_kept_as_it_was() {
    let stage = Stage::set().await;
    let claimant = stage.claim().await;

    let answered = stage.answer(&claimant, &cases(), OPTIONS).await.unwrap();

    let kept = KeptAnswer::of_representation(&answered.into());
    assert_eq!(stage.reserve().await, Reservation::Answered(kept));
    assert_eq!(stage.ledger().await.len(), 1);
}

#[tokio::test]
async fn whoever_claims_a_call_and_leaves_leaves_nothing_to_repeat() {
    let stage = Stage::set().await;
    let claimant = stage.claim().await;

    let left = stage.ask_and_leave(&claimant).await;

    assert!(matches!(left, Err(DiligenceError::Abandoned)), "{left:?}");
    stage.diligence.idempotency.give_back(claimant.claim).await;
    let again = stage.claim().await;
    let answered = stage.answer(&again, &cases(), OPTIONS).await;
    assert!(answered.is_ok(), "{answered:?}");
    assert_eq!(stage.ledger().await.len(), 1);
}

#[tokio::test]
async fn a_call_whose_claim_was_given_back_before_its_commit_is_not_charged() {
    let stage = Stage::set().await;
    let claimant = stage.claim().await;
    stage.diligence.idempotency.give_back(claimant.claim).await;

    let lost = stage.answer(&claimant, &cases(), OPTIONS).await;

    let is_lost = matches!(
        lost,
        Err(DiligenceError::Platform(PlatformError::ClaimLost))
    );
    assert!(is_lost, "{lost:?}");
    let nothing = (CallOutcome::Failed, Amount::default());
    assert_eq!(stage.outcomes().await, [nothing]);
    assert_eq!(stage.ledger().await.len(), 0);
}
