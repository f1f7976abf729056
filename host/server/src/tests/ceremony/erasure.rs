//! Erasures that coincide with a crash, a changed clock or a letter being sent.

use parafa_api_http::Reservation;
use parafa_api_signing::requests::Simulation;
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::{AttemptRow, MailKind, MailPayload};
use parafa_domain::Phase;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_signing::SigningError;
use tokio::time::{Duration, Instant};

use crate::tests::support::{
    CALLER, MINUTE, SIGN, Site, claim, create, create_once, mails, read, reserve, rows,
    signing_request, signings, terms,
};

#[tokio::test]
async fn an_erasure_that_is_cut_short_is_finished_by_whoever_comes_next() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let claimed = claim(&host, "k").await;
    let opened = create_once(&host, &claimed).await.unwrap();
    let id = opened.id();
    let hidden = deployment.hide_bytes();

    let erased = host.erase(id).await;

    assert!(erased.is_err(), "the bytes cannot be unlinked");
    assert!(read(&host, id).await.erased_at.is_some());
    let keys = rows::<NoticeRow>(&host).await.len();
    assert_eq!(deployment.data_keys(), keys, "the last word's alone");
    let again = reserve(&host, "k").await;
    assert!(
        matches!(again, Reservation::Claimed(_)),
        "the answer is gone: {again:?}"
    );
    assert!(host.erase(id).await.is_err());
    hidden.restore();
    site.pass(MINUTE);
    host.run_all().await;
    assert_eq!(deployment.byte_files().len(), 0);
    assert!(read(&host, id).await.pending_deletion.is_none());
    assert!(!host.erase(id).await.unwrap());
}

#[tokio::test]
async fn who_was_invited_to_a_signing_that_is_erased_is_told_under_another_key() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let invited = row.ceremony.signers[0].id.uuid();

    host.erase(row.ceremony.id.uuid()).await.unwrap();

    assert!(mails(&host, MailKind::Invitation).await.is_empty());
    assert_eq!(mails(&host, MailKind::Retraction).await, [invited]);
    let notices = rows::<NoticeRow>(&host).await;
    let letter = notices
        .into_iter()
        .find(|notice| matches!(notice.kind, NoticeKind::Mail(_)))
        .unwrap();
    assert_ne!(letter.data_key, row.data_key);
    let key = host.app.records.data_key(letter.data_key).await.unwrap();
    let payload: MailPayload = letter.open(&key).unwrap();
    assert_eq!(payload.email, "pirmas@example.com");
    assert!(host.app.records.data_key(row.data_key).await.is_err());
}

#[tokio::test]
async fn the_code_of_an_attempt_goes_with_its_signing() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let first = row.ceremony.signers[0].id.uuid();
    host.start(first, SIGN[0]).await.unwrap();
    for _ in 0..60 {
        if rows::<AttemptRow>(&host).await[0]
            .verification_code
            .is_some()
        {
            break;
        }
        host.run_due().await;
    }
    assert!(
        rows::<AttemptRow>(&host).await[0]
            .verification_code
            .is_some()
    );

    host.erase(row.ceremony.id.uuid()).await.unwrap();

    let attempts = rows::<AttemptRow>(&host).await;
    assert_eq!(attempts[0].verification_code, None);
    assert_eq!(attempts[0].phase, Phase::Failed);
    assert!(attempts[0].step.is_none() && attempts[0].device_link.is_none());
}

#[tokio::test]
async fn bulk_erasure_counts_what_it_has_not_come_to_and_takes_it_the_next_time() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    for _ in 0..2 {
        let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
        let id = row.ceremony.id.uuid();
        host.cancel(id).await.unwrap();
    }
    create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let caller = &CALLER;

    let late = host
        .app
        .ceremonies
        .erase_ended(caller, None, Instant::now())
        .await
        .unwrap();
    assert_eq!((late.purged, late.failed), (0, 2));
    let soon = Instant::now() + Duration::from_secs(600);
    let in_time = host
        .app
        .ceremonies
        .erase_ended(caller, None, soon)
        .await
        .unwrap();

    assert_eq!((in_time.purged, in_time.failed), (2, 0));
    let left = signings(&host).await;
    let left = left.iter().filter(|row| row.erased_at.is_none());
    assert_eq!(left.count(), 1, "the one that goes on");
}

#[tokio::test]
async fn an_erased_signing_cannot_be_simulated_and_says_of_nobody_who_they_were() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let sandbox = Caller {
        mode: KeyMode::Test,
        ..CALLER
    };
    let request = signing_request(terms(SigningOrder::Parallel, Delivery::Link));
    let created = host
        .app
        .signing
        .signings
        .create_signing(&sandbox, request)
        .await;
    let id = created.unwrap().id();
    let mut matched = host.app.reader.row_of(&sandbox, id).await.unwrap();
    matched.ceremony.signers[0].identity_matched = Some(true);
    host.put(&matched).await;
    host.app.ceremonies.erase(&sandbox, id).await.unwrap();

    let expire = Simulation {
        action: SimulatedOutcome::Expire,
        signer_email: None,
        reason: None,
    };
    let refused = host
        .app
        .signing
        .signings
        .simulate_outcome(&sandbox, id, expire)
        .await;

    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::NotFound))
    ));
    let row = host.app.reader.row_of(&sandbox, id).await.unwrap();
    let mut parties = row.ceremony.signers.iter();
    assert!(parties.all(|party| party.identity_matched.is_none()));
}
