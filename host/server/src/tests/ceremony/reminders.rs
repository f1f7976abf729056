//! When signers are reminded, and that they are reminded once.

use jiff::SignedDuration;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::MailKind;

use crate::tests::support::{
    DAY, Deployment, MINUTE, PostOffice, Site, mails, name_workspace, signing_request, terms,
};

#[tokio::test]
async fn who_can_sign_is_reminded_on_the_day_of_the_soft_deadline_in_both_deliveries() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let mut terms = terms(SigningOrder::Sequential, Delivery::Link);
    terms.soft_deadline_in_days = Some(2);
    terms.expires_in_days = 10;
    let opened = host.post(signing_request(terms)).await.unwrap();
    let first = opened.row.ceremony.signers[0].id.uuid();

    // Created at 11:00 in Vilnius; the reminder goes at 9:00 two days later.
    site.pass(DAY * 2 - SignedDuration::from_hours(2) - MINUTE);
    host.run_due().await;
    assert!(mails(&host, MailKind::Reminder).await.is_empty());
    site.pass(MINUTE);
    host.run_due().await;

    assert_eq!(mails(&host, MailKind::Reminder).await, [first]);
}

#[tokio::test]
async fn a_reminder_that_a_leap_of_days_passes_over_goes_out_once() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    post.accept_all();
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    let mut terms = terms(SigningOrder::Sequential, Delivery::Email);
    terms.soft_deadline_in_days = Some(2);
    host.post(signing_request(terms)).await.unwrap();
    host.run_all().await;
    post.letter().await;

    for _leap in 0..2 {
        site.pass(DAY * 5);
        host.run_all().await;
    }

    post.letter().await;
    assert_eq!(post.further_letters(), 0);
    assert!(mails(&host, MailKind::Reminder).await.is_empty());
}
