//! What signatures cost, and who may order no more of them.

use parafa_api_signing::{Delivery, SigningOrder};
use parafa_platform::billing::{Amount, BillingRow, Funding, PaymentCause, UsageRow};
use parafa_signing::SigningError;

use crate::tests::support::{
    CALLER, Host, SIGN, Site, create, party, read, rows, sign, signing_request, terms,
};

#[tokio::test]
async fn a_real_signature_is_billed_and_the_ceiling_stops_the_next_signing() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    bill(&host, Funding::Ok, Some(150)).await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let first = row.ceremony.signers[0].id.uuid();

    sign(&site, &host, id, first, SIGN[0]).await;

    let used = usage(&host).await;
    assert_eq!(used.len(), 1);
    assert_eq!(used[0].amount, Amount::from_cents(100));
    assert_eq!(used[0].reference, id.to_string());
    let files = deployment.byte_files();
    let refusals = [
        (Funding::Ok, PaymentCause::Ceiling(Amount::from_cents(150))),
        (Funding::NoRail, PaymentCause::NoRail),
        (Funding::Overdue, PaymentCause::Overdue),
    ];
    for (funding, expected) in refusals {
        bill(&host, funding, Some(150)).await;
        let refused = host
            .post(signing_request(terms(
                SigningOrder::Parallel,
                Delivery::Link,
            )))
            .await;
        assert_payment(refused.map(|_| ()), expected);
        let party = party("trecias@example.com");
        let refused = host.add_signer(id, party).await;
        assert_payment(refused.map(|_| ()), expected);
    }
    assert_eq!(deployment.byte_files(), files, "nothing was created");
    assert_eq!(read(&host, id).await.ceremony.signers.len(), 2);
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
