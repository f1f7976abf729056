//! Deadlines that meet unreadable data, and a signature whose app has not come
//! back yet.

use axum::body::Body;
use axum::response::Response;
use http::Request;
use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, CeremonyStatus, Phase, SignerStatus};
use parafa_platform::outbox::{NOTICES_OF_SUBJECT, NoticeKind};
use parafa_signing::records::EventKind;
use parafa_store::audit::{self, Verdict};
use parafa_store::{Clock, Guard, Page};
use tower::ServiceExt;

use crate::tests::support::{Host, Return, SIGN, Site, Stage, TICK};

/// Time before the deadline at which a signing is signed here.
const SHORTLY: SignedDuration = SignedDuration::from_secs(60);
/// Time for which a link stays readable after signing.
const READABLE: SignedDuration = SignedDuration::from_mins(30);
/// Longer than an app's return may take.
const LONG: SignedDuration = SignedDuration::from_mins(3);

#[tokio::test]
async fn a_signing_whose_key_is_lost_expires_and_ends_its_attempts() {
    let site = Site::start().await;
    let stage = Stage::set_told(&site, site.deaf_hook()).await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.deployment.lose_keys();

    stage.come_to_the_deadline().await;

    assert_expired(&stage).await;
    let attempt = stage.newest_attempt().await;
    assert_eq!(attempt.failure, Some(AttemptFailure::Cancelled));
    assert!(told(&stage).await.is_empty(), "where to is sealed");
}

#[tokio::test]
async fn a_signing_whose_key_is_damaged_expires() {
    let site = Site::start().await;
    let stage = Stage::set_told(&site, site.deaf_hook()).await;
    stage.deployment.damage_keys();

    stage.come_to_the_deadline().await;

    assert_expired(&stage).await;
}

#[tokio::test]
async fn a_signing_whose_key_is_sound_expires_and_tells_its_webhook() {
    let site = Site::start().await;
    let stage = Stage::set_told(&site, site.deaf_hook()).await;

    stage.come_to_the_deadline().await;

    assert_expired(&stage).await;
    let expired = EventKind::Expired.notice();
    assert_eq!(told(&stage).await, [expired]);
}

#[tokio::test]
async fn a_deadline_waits_for_the_app_that_is_to_come_back() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;
    stage.come_to_the_deadline().await;
    assert_eq!(
        stage.signing().await.ceremony.status,
        CeremonyStatus::Pending
    );

    stage.come_back().await;

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    let signing = stage.signing().await;
    assert_eq!(signing.versions.len(), 2);
    assert_eq!(signing.ceremony.status, CeremonyStatus::Expired);
    assert_eq!(signing.ceremony.signers[0].status, SignerStatus::Signed);
}

#[tokio::test]
async fn a_deadline_waits_no_longer_than_the_app_may_take_to_come_back() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;

    site.pass(LONG);

    assert_eq!(stage.outcome().await.failure, Some(AttemptFailure::Timeout));
    stage.host.run_all().await;
    assert_expired(&stage).await;
    assert_eq!(stage.signing().await.versions.len(), 1);
}

#[tokio::test]
async fn a_clock_that_is_set_back_gives_the_app_no_longer_to_come_back() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;
    site.pass(-SignedDuration::from_hours(1));
    stage.host.runner.follow_clock_back().await.unwrap();
    stage.host.run_due().await;

    site.pass(LONG);

    assert_eq!(stage.outcome().await.failure, Some(AttemptFailure::Timeout));
}

#[tokio::test]
async fn a_signature_whose_app_came_back_outlives_a_time_without_hosts() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;
    stage.come_back().await;

    site.pass(SignedDuration::from_hours(72));

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn a_signer_may_give_up_before_the_app_has_come_back() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;

    stage.give_up().await;
    stage.come_back().await;

    assert_eq!(
        stage.outcome().await.failure,
        Some(AttemptFailure::Cancelled)
    );
    assert_eq!(stage.signing().await.ceremony.turn, None);
}

#[tokio::test]
async fn a_return_that_is_repeated_leads_to_the_page_and_no_other_one_does() {
    let site = Site::start().await;
    let stage = signed_on_this_device(&site).await;
    let link = stage.host.link(stage.signer);
    let attempt = stage.newest_attempt().await.id;
    let returned = stage.host.return_of(attempt).await.unwrap();
    let forged = Return::forged();
    let ends = async |token: &str, with: &Return| {
        let answer = callback(&stage.host, token, with).await;
        let location = answer.headers().get("location");
        let location = location.map(|address| address.to_str().unwrap().to_owned());
        (answer.status().as_u16(), location)
    };
    let page = Some(format!("/c/{link}#returned"));
    assert_eq!(ends(&link, &forged).await, (303, page.clone()), "open");
    assert_eq!(ends(&link, &returned).await, (303, page.clone()));
    assert_eq!(stage.outcome().await.phase, Phase::Done);

    assert_eq!(ends(&link, &returned).await, (303, page), "again");
    assert_eq!(ends(&link, &forged).await, (404, None), "not this one's");
    assert_eq!(ends("nobody", &returned).await, (404, None));
    site.pass(READABLE);
    assert_eq!(
        ends(&link, &returned).await,
        (404, None),
        "the link is dead"
    );
    let dead = callback(&stage.host, &link, &returned).await;
    assert_eq!(dead.headers()["content-type"], "text/html; charset=utf-8");
}

/// Sets up a signing signed shortly before its deadline, in an app opened on
/// the device that shows the page.
async fn signed_on_this_device(site: &Site) -> Stage<'_> {
    let stage = Stage::set(site, site.posted()).await;
    let shortly_before = expires_at(&stage).await - SHORTLY;
    site.clock.set(shortly_before);
    stage.sign_on_this_device().await;
    assert!(site.clock.now() + TICK < expires_at(&stage).await);
    stage
}

/// Returns the answer to a browser that opens a callback.
async fn callback(host: &Host, token: &str, said: &Return) -> Response {
    let Return { value, digest } = said;
    let address = format!("/c/{token}/callback?value={value}&sessionSecretDigest={digest}");
    let request = Request::get(address).header("accept", "text/html");
    let request = request.body(Body::empty()).unwrap();
    let answer = host.app.ceremony_router().oneshot(request).await;
    answer.unwrap()
}

async fn expires_at(stage: &Stage<'_>) -> Timestamp {
    stage.signing().await.ceremony.expires_at
}

async fn assert_expired(stage: &Stage<'_>) {
    let signing = stage.signing().await.ceremony;
    assert_eq!(signing.status, CeremonyStatus::Expired);
    assert_eq!(signing.turn, None);
    for party in &signing.signers {
        assert_eq!(party.status, SignerStatus::Expired);
    }
    let store = &stage.host.app.records.store;
    let verdict = audit::verify(store, stage.signing).await.unwrap();
    assert!(matches!(verdict, Verdict::Intact(_)), "{verdict:?}");
}

async fn told(stage: &Stage<'_>) -> Vec<NoticeKind> {
    let store = &stage.host.app.records.store;
    let signing = stage.signing;
    let notices = store.read(|tx| {
        Box::pin(async move {
            let page = Page::oldest(10);
            tx.page_by(&NOTICES_OF_SUBJECT, &signing, &page, Guard::none())
                .await
        })
    });
    let notices = notices.await.unwrap().rows.into_iter();
    notices.map(|notice| notice.kind).collect()
}
