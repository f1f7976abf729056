//! Log of requests to registers for orders, for all outcomes.

use std::num::NonZeroU32;

use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_http::Problem;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::{NoRoom, Quota};
use parafa_diligence::{Diligence, DiligenceError};
use parafa_domain::KycStatus;
use parafa_identification::{IdentificationError, OrderForm, RegisterSources};
use parafa_platform::billing::{Amount, UsageItem};
use parafa_platform::detached::Waiter;
use parafa_platform::register_calls::{CallOutcome, CallRow};
use parafa_register_data::Role;
use parafa_store::faulty::{CrashPoint, FaultPlan};
use parafa_store::{Guard, MAX_PAGE_ROWS};

use super::{Conduct, ENTITY, LIVE, Office, REQUEST, TEST, form, host};
use crate::tests::support::{Host, SIGN, Site};

impl Office<'_> {
    /// Returns the log, oldest first.
    pub(super) async fn questions(&self) -> Vec<CallRow> {
        let store = &self.host.app.records.store;
        let rows = store.read(|tx| {
            Box::pin(async move {
                tx.children::<CallRow>(&(LIVE.tenant,), MAX_PAGE_ROWS, Guard::none())
                    .await
            })
        });
        rows.await.unwrap().rows
    }

    async fn outcomes(&self) -> Vec<CallOutcome> {
        let questions = self.questions().await;
        questions.iter().map(|question| question.outcome).collect()
    }
}

#[tokio::test]
async fn a_question_is_logged_with_its_purpose_though_the_order_is_refused() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;

    let unheld = OrderForm {
        role: Role::Liquidator,
        ..form()
    };
    let refused = office.order(&LIVE, unheld).await;
    assert!(matches!(
        refused,
        Err(IdentificationError::RoleNotHeld { .. })
    ));
    office.world.conduct(Conduct::Down);
    let refused = office.order(&LIVE, form()).await;
    let is_it = matches!(refused, Err(IdentificationError::RegisterUnavailable(_)));
    assert!(is_it, "{refused:?}");
    office.world.conduct(Conduct::Answers);
    site.plugins
        .disable(site.plugins.by_id("pdf").unwrap().digest());
    let refused = office.order(&LIVE, form()).await;
    assert!(matches!(
        refused,
        Err(IdentificationError::Ceremony(CeremonyError::NoDocuments))
    ));

    let questions = office.questions().await;
    for question in &questions {
        assert_eq!(question.purpose.as_deref(), Some("AML_KYC"));
        assert_eq!(question.item, UsageItem::IdentificationPackage);
        assert_eq!((question.key, &*question.subject), (LIVE.key, ENTITY));
        assert_eq!(question.charged, Amount::default());
    }
    for refused in &questions[..2] {
        assert_eq!(refused.reference.as_deref(), Some(REQUEST));
    }
    let outcomes = [
        CallOutcome::NoData,
        CallOutcome::UpstreamUnavailable,
        CallOutcome::Answered,
    ];
    assert_eq!(office.outcomes().await, outcomes);
    assert_eq!(questions[2].raw_sha256.len(), 2, "of both answers");
    drop(office);
}

#[tokio::test]
async fn of_two_orders_that_meet_below_the_ceiling_one_is_taken_and_both_questions_are_logged() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.set_ceiling(3000).await;

    let [first, second] = [office.order(&LIVE, form()), office.order(&LIVE, form())];
    let (first, second) = tokio::join!(first, second);

    assert!(first.is_ok() != second.is_ok(), "{first:?}, {second:?}");
    assert_eq!(office.outcomes().await, [CallOutcome::Answered; 2]);
    assert!(office.ledger().await.is_empty());
    drop(office);
}

#[tokio::test]
async fn asking_again_once_somebody_has_signed_is_logged_too() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;

    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[1]).await;
    let ended = office.end(&LIVE, &ordered).await;
    assert_eq!(ended.status, KycStatus::IdentityMismatch);
    let ordered = office.ordered(&TEST).await;
    office.complete(&ordered).await;
    office.end(&TEST, &ordered).await;

    let questions = office.questions().await;
    let modes: Vec<_> = questions.iter().map(|row| row.mode).collect();
    assert_eq!(modes, [LIVE.mode, LIVE.mode, TEST.mode, TEST.mode]);
    let orders: Vec<_> = questions.iter().map(CallRow::reference_or_id).collect();
    assert_eq!((&orders[0], &orders[2]), (&orders[1], &orders[3]));
    assert_eq!(orders[2], ordered.id.to_string());
    drop(office);
}

#[tokio::test]
async fn an_order_beyond_the_quota_is_refused_before_a_register_is_asked_and_ended_ones_make_room()
{
    let mut site = Site::with_attorney().await;
    site.config.limits.open_signings = NonZeroU32::new(1);
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    let asked = office.questions().await.len();

    let refused = office.order(&LIVE, form()).await.map(|order| order.id);

    let Err(IdentificationError::NoRoom(why)) = refused else {
        panic!("{refused:?}")
    };
    let NoRoom::QuotaExceeded(exceeded) = &why else {
        panic!("{why}")
    };
    assert_eq!(exceeded.quota, Quota::OpenSignings);
    assert_eq!(
        (exceeded.used, exceeded.wanted, exceeded.allowed),
        (1, 1, 1)
    );
    let told = Problem::from(IdentificationError::NoRoom(why));
    assert_eq!(told.status().as_u16(), 429);
    assert_eq!(told.kind().name, "quota-exceeded");
    assert!(
        told.detail().starts_with("1 of at most 1 "),
        "{}",
        told.detail()
    );
    assert_eq!(office.questions().await.len(), asked);
    office.ordered(&TEST).await;

    office.sign(&ordered, SIGN[0]).await;
    office.end(&LIVE, &ordered).await;
    office.ordered(&LIVE).await;
}

#[tokio::test]
async fn a_caller_who_may_have_been_charged_is_not_told_that_nothing_was() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let question = Question::Profile(ENTITY.parse().unwrap());
    let options = AnswerOptions {
        interpret: false,
        form: Form::Json,
        purpose: None,
    };
    let ask = async |host: &Host| {
        // The free sandbox registers, in place of those for live keys.
        let own = &host.app.diligence.questions;
        let sandbox = own.registers.sandbox.clone();
        let diligence = Diligence {
            records: own.records.clone(),
            idempotency: own.idempotency.clone(),
            registers: RegisterSources {
                live: sandbox.clone(),
                sandbox,
            },
            signers: own.signers.clone(),
            base_url: own.base_url.clone(),
            interpretation_reviewed_by: None,
            recovery_url: None,
        };
        let waiter = Waiter::default();
        let awaited = waiter.awaited();
        let answered = diligence.answer(&LIVE, &question, options, REQUEST, &awaited);
        answered.await
    };
    let sound = host(&office.deployment, &office.world, FaultPlan::default()).await;
    ask(&sound).await.unwrap();
    let faults = FaultPlan {
        crash: Some((sound.commits() - 1, CrashPoint::BeforeAcknowledgement)),
        ..FaultPlan::default()
    };
    let frail = host(&office.deployment, &office.world, faults).await;

    let refused = ask(&frail).await.unwrap_err();

    assert!(
        matches!(refused, DiligenceError::Unaccounted(_)),
        "{refused:?}"
    );
    let told = Problem::from(refused);
    assert!(!told.detail().contains("nothing was charged"));
    assert_eq!(office.questions().await.len(), 2, "both are accounted for");
}
