//! Prices of orders, and refused callers.

use futures::future::join_all;
use jiff::SignedDuration;
use parafa_domain::KycStatus;
use parafa_identification::IdentificationError;
use parafa_platform::agreement::{AgreementRow, NotBillable};
use parafa_platform::billing::{Amount, PaymentCause, PaymentRequired, UsageItem};

use super::{LIVE, Office, store_agreement};
use crate::tests::support::{SIGN, Site};

#[tokio::test]
async fn a_person_of_an_entity_costs_less_the_second_time() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;

    let mut reverified = Vec::new();
    for _ in 0..2 {
        let ordered = office.ordered(&LIVE).await;
        office.sign(&ordered, SIGN[0]).await;
        let delivered = office.end(&LIVE, &ordered).await;
        assert_eq!(delivered.status, KycStatus::Delivered);
        assert_eq!(office.told(&ordered).await, ["kyc.delivered"]);
        let package = delivered.delivered.unwrap();
        let entered = office.ledger().await.pop().unwrap();
        assert_eq!(entered.item, UsageItem::IdentificationPackage);
        assert_eq!(entered.reference, ordered.id.to_string());
        assert_eq!(entered.amount, package.price);
        reverified.push(package.reverification);
    }

    assert_eq!(reverified, [false, true]);
    let amounts: Vec<Amount> = office.ledger().await.iter().map(|row| row.amount).collect();
    assert_eq!(amounts, [2499, 1499].map(Amount::from_cents));
}

#[tokio::test]
async fn whoever_has_agreed_to_nothing_is_not_served_and_no_register_is_asked() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    store_agreement(&office.host, &AgreementRow::none(LIVE.tenant)).await;
    office.world.conduct(super::Conduct::Down);

    let refused = office.order(&LIVE, super::form()).await;

    let Err(IdentificationError::PaymentRequired(cause)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(*cause, NotBillable::NoEntity);
    office.world.conduct(super::Conduct::Answers);
    assert!(office.order(&super::TEST, super::form()).await.is_ok());
}

#[tokio::test]
async fn open_orders_count_against_the_ceiling_until_they_have_ended() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.set_ceiling(2 * 2499).await;
    let [delivered, open] = [office.ordered(&LIVE).await, office.ordered(&LIVE).await];
    assert_at_ceiling(&office).await;
    assert!(office.order(&super::TEST, super::form()).await.is_ok());

    office.sign(&delivered, SIGN[0]).await;
    let delivered = office.end(&LIVE, &delivered).await;
    assert_eq!(delivered.status, KycStatus::Delivered);
    assert_at_ceiling(&office).await;

    office.sign(&open, SIGN[1]).await;
    let ended = office.end(&LIVE, &open).await;
    assert_eq!(ended.status, KycStatus::IdentityMismatch);
    office.ordered(&LIVE).await;
    assert_at_ceiling(&office).await;
}

#[tokio::test]
async fn an_order_whose_subject_never_comes_counts_against_the_ceiling_until_its_deadline() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.set_ceiling(2499).await;
    office.ordered(&LIVE).await;
    assert_at_ceiling(&office).await;

    site.pass(SignedDuration::from_hours(14 * 24));
    office.host.run_all().await;

    office.ordered(&LIVE).await;
    assert_eq!(office.ledger().await.len(), 0);
}

#[tokio::test]
async fn an_order_that_is_erased_after_its_deadline_counts_no_more_before_its_job_has_run() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.set_ceiling(2499).await;
    let ordered = office.ordered(&LIVE).await;
    site.pass(SignedDuration::from_hours(14 * 24));
    assert_at_ceiling(&office).await;

    let orders = &office.host.app.diligence.identifications;
    assert!(orders.erase(&LIVE, ordered.id).await.unwrap());

    office.ordered(&LIVE).await;
}

#[tokio::test]
async fn those_who_order_at_once_do_not_exceed_the_ceiling_together() {
    /// Concurrent callers.
    const CALLERS: usize = 30;

    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.set_ceiling(3000).await;

    let orders = (0..CALLERS).map(|_| office.order(&LIVE, super::form()));
    let orders = join_all(orders).await;

    assert_eq!(orders.iter().filter(|order| order.is_ok()).count(), 1);
    let ordered = orders.into_iter().flatten().next().unwrap();
    office.sign(&ordered, SIGN[0]).await;
    office.end(&LIVE, &ordered).await;
    let owed: Vec<Amount> = office.ledger().await.iter().map(|row| row.amount).collect();
    assert_eq!(owed, [Amount::from_cents(2499)]);
}

async fn assert_at_ceiling(office: &Office<'_>) {
    let refused = office.order(&LIVE, super::form()).await;
    let Err(IdentificationError::PaymentRequired(cause)) = refused else {
        panic!("{refused:?}")
    };
    let cause = match *cause {
        NotBillable::Payment(PaymentRequired { cause, .. }) => cause,
        NotBillable::NoEntity => panic!("there is an entity"),
    };
    assert!(matches!(cause, PaymentCause::Ceiling(_)), "{cause:?}");
}
