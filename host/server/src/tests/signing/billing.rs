//! Prices of signatures, and callers who may not order more.

use futures::future::join_all;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::CeremonyStatus;
use parafa_platform::billing::{Amount, BillingRow, Funding, PaymentCause, UsageRow};
use parafa_signing::SigningError;

use crate::tests::support::{
    CALLER, Deployment, Host, SIGN, Site, party, rows, sign, signing_request, terms,
};

/// Concurrent callers.
const CALLERS: usize = 30;

#[tokio::test]
async fn signers_who_may_still_sign_count_against_the_ceiling_until_they_cannot() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    bill(&host, Funding::Ok, Some(400)).await;
    let at_ceiling = PaymentCause::Ceiling(Amount::from_cents(400));
    let order = || signing_request(terms(SigningOrder::Sequential, Delivery::Link));
    let [first, second] = [
        host.post(order()).await.unwrap().row,
        host.post(order()).await.unwrap().row,
    ];
    let id = |row: &CeremonyRow| row.ceremony.id.uuid();
    assert_payment(host.post(order()).await.map(|_| ()), at_ceiling);
    let third = host.add_signer(id(&first), party("trecias@example.com"));
    assert_payment(third.await.map(|_| ()), at_ceiling);

    // Signing turns the reservation into debt.
    sign(
        &site,
        &host,
        id(&first),
        first.ceremony.signers[0].id.uuid(),
        SIGN[0],
    )
    .await;
    assert_payment(host.post(order()).await.map(|_| ()), at_ceiling);
    host.cancel(id(&first)).await.unwrap();
    let fourth = host.add_signer(id(&second), party("trecias@example.com"));
    fourth.await.expect("three open signers and one signature");
    assert_payment(host.post(order()).await.map(|_| ()), at_ceiling);
    host.erase(id(&second)).await.unwrap();
    host.post(order())
        .await
        .expect("two signers and one signature");

    assert_eq!(usage(&host).await.len(), 1);
}

#[tokio::test]
async fn those_who_order_at_once_at_two_hosts_do_not_exceed_the_ceiling_together() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let hosts = [deployment.sound_host().await, deployment.sound_host().await];
    bill(&hosts[0], Funding::Ok, Some(1000)).await;

    let orders = (0..CALLERS).map(|caller| {
        let host = &hosts[caller % hosts.len()];
        let order = signing_request(terms(SigningOrder::Parallel, Delivery::Link));
        async move { host.post(order).await.map(|_| ()) }
    });
    let (taken, refused): (Vec<_>, Vec<_>) =
        join_all(orders).await.into_iter().partition(Result::is_ok);

    assert_eq!(taken.len(), 5, "ten signatures of 1.00 are below 10.00");
    for refused in refused {
        let at_ceiling = PaymentCause::Ceiling(Amount::from_cents(1000));
        assert_payment(refused, at_ceiling);
    }
    let open: Vec<CeremonyRow> = rows(&hosts[0]).await;
    let is_open = |row: &&CeremonyRow| row.ceremony.status == CeremonyStatus::Pending;
    assert_eq!(open.iter().filter(is_open).count(), 5);
}

fn assert_payment(refused: Result<(), SigningError>, expected: PaymentCause) {
    match refused {
        Err(SigningError::PaymentRequired {
            cause,
            recovery_url,
        }) => {
            assert_eq!(cause, expected);
            let url = recovery_url.map(|url| url.to_string());
            assert_eq!(url.as_deref(), Some("https://pay.example/"));
        }
        other => panic!("{other:?}"),
    }
}

async fn usage(host: &Host) -> Vec<UsageRow> {
    rows(host).await
}

async fn bill(host: &Host, funding: Funding, ceiling_cents: Option<u64>) {
    let row = &BillingRow {
        tenant: CALLER.tenant,
        funding,
        ceiling: ceiling_cents.map(Amount::from_cents),
        recovery_url: Some("https://pay.example/".parse().unwrap()),
        ladder: serde_json::from_str(r#"["1=1.00"]"#).unwrap(),
    };
    host.put(row).await;
}
