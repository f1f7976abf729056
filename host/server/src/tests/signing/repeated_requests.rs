//! Idempotent requests: the claim on a request's key, and the kept answer.

use jiff::SignedDuration;
use parafa_api_http::{IdempotentRequest, Reservation};
use parafa_ceremony::CeremonyError;
use parafa_platform::PlatformError;
use parafa_platform::idempotency::IdempotencyRow;
use parafa_signing::SigningError;

use crate::tests::support::{
    CALLER, DAY, MINUTE, Site, claim, create_once, keyed, reserve, rows, signings,
};

#[tokio::test]
async fn a_claim_that_has_run_out_creates_nothing() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let late = claim(&host, "k").await;
    assert!(matches!(
        reserve(&host, "k").await,
        Reservation::InProgress {
            retry_after_seconds: 1..=5
        }
    ));
    let other_body = IdempotentRequest {
        body_sha256: [1; 32],
        ..keyed("k")
    };
    let idempotency = &host.app.idempotency;
    let reserved = idempotency.reserve(CALLER.key, &other_body).await.unwrap();
    assert_eq!(reserved, Reservation::Reused);
    site.pass(MINUTE);

    let in_time = claim(&host, "k").await;
    let refused = create_once(&host, &late).await;
    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::Platform(
            PlatformError::ClaimLost
        )))
    ));
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
    let created = create_once(&host, &in_time).await.unwrap();

    let Reservation::Answered(again) = reserve(&host, "k").await else {
        panic!("it was answered")
    };
    let (again, id) = (
        serde_json::to_string(&again).unwrap(),
        created.id().to_string(),
    );
    assert!(again.contains(&id), "{again}");
    assert_eq!(signings(&host).await.len(), 1);
    site.pass(DAY);
    host.run_all().await;
    assert_eq!(deployment.data_keys(), 1, "the signing's alone");
    claim(&host, "k").await;
}

#[tokio::test]
async fn a_clock_that_leaps_takes_no_claim_from_a_request_that_is_carried_out() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let held = claim(&host, "k").await;
    // The clock jumps.
    site.pass(DAY);
    host.run_all().await;

    create_once(&host, &held).await.unwrap();

    site.pass(DAY);
    host.run_all().await;
    assert_eq!(
        deployment.data_keys(),
        1,
        "the answer is dropped in its time"
    );
}

#[tokio::test]
async fn a_claim_that_nobody_answers_goes() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    claim(&host, "k").await;

    for pause in [SignedDuration::from_hours(1), MINUTE] {
        site.pass(pause);
        host.run_all().await;
    }

    assert_eq!(rows::<IdempotencyRow>(&host).await.len(), 0);
}

#[tokio::test]
async fn an_answer_whose_day_is_over_is_erased_by_whoever_takes_its_key() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let claimed = claim(&host, "k").await;
    create_once(&host, &claimed).await.unwrap();
    let before = deployment.data_keys();
    site.pass(DAY);

    claim(&host, "k").await;

    assert_eq!(deployment.data_keys(), before - 1);
    host.run_all().await;
    assert_eq!(rows::<IdempotencyRow>(&host).await.len(), 1);
}
