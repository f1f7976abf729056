//! Jobs about permanently unreadable data: they end.

use jiff::SignedDuration;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::MailKind;
use parafa_ceremony::remind::REMIND;
use parafa_platform::jobs::LEASE;
use parafa_platform::outbox::{DELIVER, MAIL, NoticeRow};

use crate::lanes::LANES;
use crate::tests::support::{DAY, Host, Site, create, mails, rows, signing_request, terms};

/// Longer than the retry delay of a failing job.
const LONG: SignedDuration = SignedDuration::from_hours(2);

/// Returns whether a job of this kind is still queued a while later.
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
