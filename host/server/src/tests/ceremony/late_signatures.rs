//! Deadlines that pass while a signature already made by the device is being
//! completed: they wait for it, and for nothing else.

use std::fmt::Debug;

use jiff::SignedDuration;
use parafa_api_signing::SigningApi;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::erase::ErasureCount;
use parafa_demo::Service;
use parafa_domain::{AttemptFailure, CeremonyStatus, Phase, SignerStatus};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_signing::SigningError;
use parafa_signing::listing::Listing;
use parafa_signing::records::{EventKind, EventPayload};
use parafa_store::Clock;
use tokio::time::{Duration, Instant};

use crate::tests::support::{CALLER, Site, Stage, party, rows};

/// Time before the deadline at which a signing is signed here.
const SHORTLY: SignedDuration = SignedDuration::from_secs(60);

#[tokio::test]
async fn a_late_signature_ends_its_signing_and_tells_of_both_in_their_order() {
    let site = Site::start().await;
    let stage = Stage::set_told(&site, site.deaf_hook()).await;
    be_finished_at_the_deadline(&stage).await;

    site.faults(Service::Tsa).clear();

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    let signing = stage.signing().await.ceremony;
    assert_eq!(signing.status, CeremonyStatus::Expired);
    let statuses: Vec<_> = signing.signers.iter().map(|party| party.status).collect();
    assert_eq!(statuses, [SignerStatus::Signed, SignerStatus::Expired]);
    assert_eq!(
        told(&stage).await,
        [
            (EventKind::SignerSigned, CeremonyStatus::Expired),
            (EventKind::Expired, CeremonyStatus::Expired)
        ]
    );
    assert_eq!(listed(&stage, CeremonyStatus::Expired).await, 1);
    assert_eq!(listed(&stage, CeremonyStatus::Pending).await, 0);
    stage.host.run_all().await;
    assert_eq!(told(&stage).await.len(), 2, "nobody is told twice");
    assert_eq!(erased(&stage).await, 1);
}

#[tokio::test]
async fn a_late_signature_that_is_given_up_ends_its_signing_without_another_wait() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    site.clock
        .set(stage.signing().await.ceremony.expires_at - SHORTLY);
    stage.sign_on_this_device().await;
    stage.come_to_the_deadline().await;
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Pending
    );

    stage.give_up().await;
    stage.host.run_all().await;

    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Expired
    );
    assert_eq!(erased(&stage).await, 1);
}

#[tokio::test]
async fn a_late_signature_that_comes_to_nothing_ends_its_signing_without_another_wait() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    be_finished_at_the_deadline(&stage).await;
    let hours = stage.host.config.limits.finish_hours.get();
    site.pass(SignedDuration::from_hours(hours.into()));
    stage.host.run_due().await;

    let failure = stage.outcome().await.failure;
    stage.host.run_all().await;

    assert_eq!(failure, Some(AttemptFailure::TimestampUnavailable));
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Expired
    );
}

#[tokio::test]
async fn a_deadline_that_waits_for_a_signature_shuts_others_out_until_it_is_moved() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = stage.host.app.clone();
    let api = app.signing_api();
    let signing = stage.signing().await.ceremony;
    let [own, other] = [0, 1].map(|n| signing.signers[n].id.uuid());
    be_finished_at_the_deadline(&stage).await;

    let seen = api.read_signing(&CALLER, stage.signing.into()).await;

    let seen = serde_json::to_value(seen.unwrap()).unwrap();
    assert_eq!(seen["status"], "pending");
    let links = [own, other].map(|signer| stage.host.link(signer));
    let shown = seen["signers"][0]["ceremonyUrl"].as_str().unwrap();
    assert!(shown.ends_with(&links[0]), "this signature is awaited");
    assert!(seen["signers"][1].get("ceremonyUrl").is_none(), "{seen}");
    assert!(app.ceremonies.open_link(&links[0]).await.is_ok());
    assert!(app.ceremonies.open_link(&links[1]).await.is_err());
    let id = stage.signing;
    let added = app
        .signing
        .signings
        .add_signer(&CALLER, id, party("nauja@example.com"));
    assert_ended(&added.await);
    app.ceremonies
        .change_deadline(&CALLER, id, 3)
        .await
        .unwrap();
    assert!(app.ceremonies.open_link(&links[1]).await.is_ok());
    let added = app
        .signing
        .signings
        .add_signer(&CALLER, id, party("nauja@example.com"));
    added.await.unwrap();
    let cancelled = app.ceremonies.cancel(&CALLER, id).await;
    assert!(cancelled.is_ok(), "a retraction waits for nothing");
}

/// Lets the first signer's device sign shortly before the deadline, which then
/// passes while time-stamps are unavailable.
async fn be_finished_at_the_deadline(stage: &Stage<'_>) {
    let deadline = stage.signing().await.ceremony.expires_at;
    stage.site.clock.set(deadline - SHORTLY);
    stage.sign_without_timestamps().await;
    assert!(stage.site.clock.now() < deadline);
    stage.come_to_the_deadline().await;
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Pending
    );
}

/// Returns the webhook's events, with the status in each.
async fn told(stage: &Stage<'_>) -> Vec<(EventKind, CeremonyStatus)> {
    let app = &stage.host.app;
    let mut told = Vec::new();
    for notice in rows::<NoticeRow>(&stage.host).await {
        let NoticeKind::Webhook(kind) = &notice.kind else {
            continue;
        };
        let key = app.records.data_key(notice.data_key).await.unwrap();
        let payload: EventPayload = notice.open(&key).unwrap();
        told.push((EventKind::named(kind).unwrap(), payload.status));
    }
    told
}

/// Counts the listed signings with this status.
async fn listed(stage: &Stage<'_>, status: CeremonyStatus) -> usize {
    let listing = Listing {
        status: Some(status),
        limit: 10,
        after: None,
    };
    let listed = stage
        .host
        .app
        .signing
        .signings
        .list_signings(&CALLER, listing)
        .await;
    listed.unwrap().signings.len()
}

/// Counts the signings that a bulk erasure finds.
async fn erased(stage: &Stage<'_>) -> u64 {
    let until = Instant::now() + Duration::from_secs(60);
    let erased = stage.host.app.ceremonies.erase_ended(&CALLER, None, until);
    let ErasureCount { purged, failed } = erased.await.unwrap();
    assert_eq!(failed, 0);
    purged
}

fn assert_ended<T: Debug>(answer: &Result<T, SigningError>) {
    assert!(
        matches!(
            answer,
            Err(SigningError::Ceremony(CeremonyError::SigningEnded(_)))
        ),
        "{answer:?}"
    );
}
