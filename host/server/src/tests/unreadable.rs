//! Jobs about what can never be read again, or of which a part is gone: they end.

use jiff::SignedDuration;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::MailKind;
use parafa_ceremony::remind::REMIND;
use parafa_platform::idempotency::IdempotencyRow;
use parafa_platform::jobs::LEASE;
use parafa_platform::outbox::{DELIVER, MAIL, NoticeRow};
use parafa_signing::records::FileRow;
use parafa_store::faulty::{CrashPoint, FaultPlan};
use uuid::Uuid;

use super::calls::{DAY, claim, create, mails, rows, signing_request, stored_pdf, terms};
use super::deployment::{CALLER, Site};
use super::host::Host;
use crate::jobs::LANES;

/// Longer than a job that fails is put off.
const LONG: SignedDuration = SignedDuration::from_hours(2);

/// Whether a job of this kind is still there a while later.
async fn is_left(host: &Host, kind: &str) -> bool {
    for budget in LANES {
        let due = host
            .app
            .records
            .store
            .claim_due(budget.lane, 100, LEASE)
            .await;
        if due.unwrap().iter().any(|job| job.kind == kind) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_reminder_of_a_signing_whose_key_is_damaged_ends() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let mut request = signing_request(terms(SigningOrder::Parallel, Delivery::Email));
    request.terms.soft_deadline_in_days = Some(3);
    host.post(request).await.unwrap();
    deployment.damage_keys();

    site.pass(DAY * 4);
    host.run_due().await;

    assert!(mails(&host, MailKind::Reminder).await.is_empty());
    site.pass(LONG);
    assert!(!is_left(&host, REMIND).await);
}

#[tokio::test]
async fn an_event_whose_key_is_damaged_is_not_delivered_for_ever() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    host.cancel_told(&site).await;
    deployment.damage_keys();

    host.run_due().await;

    let notices = rows::<NoticeRow>(&host).await;
    assert!(notices.iter().all(|notice| notice.ended.is_some()));
    assert_eq!(notices.len(), 1);
    site.pass(LONG);
    assert!(!is_left(&host, DELIVER).await);
}

#[tokio::test]
async fn a_letter_whose_key_is_damaged_is_not_sent_for_ever() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    create(&host, SigningOrder::Parallel, Delivery::Email).await;
    assert!(!mails(&host, MailKind::Invitation).await.is_empty());
    deployment.damage_keys();

    host.run_due().await;

    assert!(rows::<NoticeRow>(&host).await.is_empty());
    site.pass(LONG);
    assert!(!is_left(&host, MAIL).await);
}

#[tokio::test]
async fn a_deletion_of_a_file_that_dies_leaves_no_kept_answer_that_tells_of_it() {
    let site = Site::start().await;
    let (mut deleted, mut kept) = (0, 0);
    for commit in 0.. {
        let (deployment, host) = site.opened().await;
        let file = store_file_once(&host).await;
        let crash = FaultPlan {
            crash: Some((commit, CrashPoint::BeforeAcknowledgement)),
            ..FaultPlan::default()
        };
        let Ok(dying) = deployment.host(crash).await else {
            continue;
        };

        let is_through = dying
            .app
            .signing
            .intake
            .delete_file(&CALLER, file)
            .await
            .is_ok();

        let heir = deployment.sound_host().await;
        heir.run_all().await;
        let is_there = heir.app.records.store.get::<FileRow>(&file).await.unwrap();
        let answers = rows::<IdempotencyRow>(&heir).await.len();
        if is_there.is_some() {
            kept += 1;
            assert_eq!(answers, 1, "commit {commit}");
        } else {
            deleted += 1;
            assert_eq!(answers, 0, "commit {commit}");
            assert_eq!(deployment.data_keys(), 0, "commit {commit}");
            assert!(deployment.byte_files().is_empty(), "commit {commit}");
        }
        if is_through {
            break;
        }
    }
    assert!(deleted > 1, "{deleted} were deleted and {kept} kept");
}

/// Stores a file in a request that can be repeated; gives its token.
async fn store_file_once(host: &Host) -> Uuid {
    let claimant = claim(host, "k").await;
    let file = stored_pdf();
    let stored = host.app.signing.intake.store_file(&claimant, file).await;
    stored.unwrap().row.id
}
