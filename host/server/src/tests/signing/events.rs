//! What a signing tells its webhook and its signers.

use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::MailKind;
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_signing::records::EventKind;

use crate::tests::support::{Host, SIGN, Site, create, mails, rows, sign};

#[tokio::test]
async fn what_happens_is_noted_for_the_webhook_and_for_whose_turn_comes() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let id = row.ceremony.id.uuid();
    let [first, second] = [0, 1].map(|n| row.ceremony.signers[n].id.uuid());
    assert_eq!(mails(&host, MailKind::Invitation).await, [first]);

    sign(&site, &host, id, first, SIGN[0]).await;
    let invited = mails(&host, MailKind::Invitation).await;
    assert_eq!(invited, [first, second]);
    sign(&site, &host, id, second, SIGN[1]).await;

    assert_eq!(
        events(&host).await,
        [
            EventKind::SignerSigned,
            EventKind::SignerSigned,
            EventKind::Completed
        ]
    );
}

async fn events(host: &Host) -> Vec<EventKind> {
    let notices: Vec<NoticeRow> = rows(host).await;
    notices
        .into_iter()
        .filter_map(|notice| match notice.kind {
            NoticeKind::Webhook(event) => EventKind::named(&event),
            NoticeKind::Mail(_) => None,
        })
        .collect()
}
