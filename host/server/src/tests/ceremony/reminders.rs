//! Reminders to signers: their time, and that each is sent once.

use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::MailKind;

use crate::tests::support::{
    DAY, Deployment, PostOffice, Site, mails, name_workspace, signing_request, terms,
};

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
