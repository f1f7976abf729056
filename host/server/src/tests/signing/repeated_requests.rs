//! Requests that a caller may repeat: the claim on a request's key, and the answer that is kept.

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_platform::PlatformError;
use parafa_platform::idempotency::{IdempotencyRow, RequestIdentity, Reserved};
use parafa_signing::SigningError;

use crate::tests::support::{DAY, MINUTE, Site, claim, create_once, identity, rows, signings};

#[tokio::test]
async fn a_claim_that_has_run_out_creates_nothing() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let late = claim(&host, "k").await;
    assert!(matches!(
        host.app.idempotency.reserve(&identity("k")).await.unwrap(),
        Reserved::Running { retry_after: 1..=5 }
    ));
    assert!(matches!(
        host.app
            .idempotency
            .reserve(&other_body("k"))
            .await
            .unwrap(),
        Reserved::Reused
    ));
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

    let again = host.app.idempotency.reserve(&identity("k")).await.unwrap();
    let id = created.id().to_string();
    assert!(matches!(again, Reserved::Answered(answer) if answer.contains(&id)));
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
    // The clock leaps.
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

fn other_body(key: &str) -> RequestIdentity {
    RequestIdentity {
        body: "01".to_owned(),
        ..identity(key)
    }
}
