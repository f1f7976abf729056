//! Erasure of orders: erased data, remaining data, and refusals.

use std::num::NonZeroU16;

use jiff::SignedDuration;
use parafa_domain::KycStatus;
use parafa_identification::{IdentificationError, Order, SimulatedOutcome};

use super::{LIVE, Office, TEST};
use crate::tests::support::{SIGN, Site};

const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Office<'_> {
    /// Returns a delivered order of the sandbox.
    async fn delivered(&self) -> Order {
        let ordered = self.ordered(&TEST).await;
        self.complete(&ordered).await;
        let delivered = self.end(&TEST, &ordered).await;
        assert_eq!(delivered.status, KycStatus::Delivered);
        delivered
    }

    async fn erase(&self, order: &Order) -> Result<bool, IdentificationError> {
        let orders = &self.host.app.diligence.identifications;
        orders.erase(&TEST, order.id).await
    }

    async fn has_artifact(&self, order: &Order) -> bool {
        let orders = &self.host.app.diligence.identifications;
        match orders.artifact(&TEST, order.id).await {
            Ok(_) => true,
            Err(IdentificationError::NotFound) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn an_erased_order_leaves_its_outcome_and_nothing_of_its_subject() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let keys = office.deployment.data_keys();
    let delivered = office.delivered().await;
    assert!(office.has_artifact(&delivered).await);
    assert!(office.deployment.data_keys() > keys);

    assert!(office.erase(&delivered).await.unwrap());

    let erased = office.now(&TEST, &delivered).await;
    assert!(erased.erased_at.is_some());
    assert_eq!(erased.status, KycStatus::Delivered);
    let [before, after] = [delivered.clone(), erased].map(|order| order.delivered.unwrap());
    assert_eq!((before.at, before.price), (after.at, after.price));
    assert!(!office.has_artifact(&delivered).await);
    assert!(office.told(&delivered).await.is_empty());
    assert_eq!(office.deployment.data_keys(), keys);
    assert!(office.deployment.byte_files().is_empty());
    assert!(!office.erase(&delivered).await.unwrap(), "it was before");
    // The job of its ended ceremony finds nothing left to do.
    site.pass(SignedDuration::from_hours(25));
    office.host.run_all().await;
    assert!(office.now(&TEST, &delivered).await.erased_at.is_some());
}

#[tokio::test]
async fn a_live_order_that_is_erased_stays_in_the_ledger() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    office.end(&LIVE, &ordered).await;
    let orders = &office.host.app.diligence.identifications;

    let by_a_stranger = orders.erase(&TEST, ordered.id).await;
    assert!(matches!(by_a_stranger, Err(IdentificationError::NotFound)));
    assert!(orders.erase(&LIVE, ordered.id).await.unwrap());

    let ledger = office.ledger().await;
    assert_eq!(ledger.len(), 1);
    assert_eq!(ledger[0].reference, ordered.id.to_string());
}

#[tokio::test]
async fn an_order_that_goes_on_is_not_erased() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;

    for status in [KycStatus::AwaitingSubject, KycStatus::Verifying] {
        let refused = office.erase(&ordered).await;
        let Err(IdentificationError::NotEnded(told)) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(told, status);
        let orders = &office.host.app.diligence.identifications;
        let complete = SimulatedOutcome::Complete;
        // The second one is refused, without effect.
        let _ = orders.simulate(&TEST, ordered.id, complete).await;
    }

    let delivered = office.end(&TEST, &ordered).await;
    assert!(office.has_artifact(&delivered).await);
}

#[tokio::test]
async fn an_order_that_ended_without_a_package_is_erased_too() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let keys = office.deployment.data_keys();
    let ordered = office.ordered(&TEST).await;
    site.pass(DAY * 14);
    let shown = office.now(&TEST, &ordered).await;
    assert_eq!(shown.status, KycStatus::Expired, "before its job has run");

    assert!(office.erase(&ordered).await.unwrap());

    assert_eq!(office.now(&TEST, &ordered).await.status, KycStatus::Expired);
    assert_eq!(office.deployment.data_keys(), keys);
    assert!(office.deployment.byte_files().is_empty());
}

#[tokio::test]
async fn a_person_is_known_as_long_as_a_package_says_so() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let is_again = |order: &Order| order.delivered.as_ref().unwrap().reverification;
    let [first, second] = [office.delivered().await, office.delivered().await];
    assert_eq!([&first, &second].map(is_again), [false, true]);

    office.erase(&first).await.unwrap();
    let third = office.delivered().await;
    assert!(is_again(&third), "the second package is there");

    for order in [&second, &third] {
        office.erase(order).await.unwrap();
    }
    assert!(!is_again(&office.delivered().await));
}

#[tokio::test]
async fn a_package_goes_once_it_was_kept_for_as_long_as_the_operator_says() {
    let mut site = Site::with_attorney().await;
    site.config.diligence.packages_kept_days = NonZeroU16::new(30);
    let office = Office::open(&site).await;
    let delivered = office.delivered().await;

    for _ in 0..29 {
        site.pass(DAY);
        office.host.run_all().await;
    }
    assert!(office.has_artifact(&delivered).await);
    site.pass(DAY);
    office.host.run_all().await;

    assert!(!office.has_artifact(&delivered).await);
    let erased = office.now(&TEST, &delivered).await;
    assert!(erased.erased_at.is_some());
}

#[tokio::test]
async fn an_erasure_that_was_cut_short_is_finished_by_its_job() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let keys = office.deployment.data_keys();
    let delivered = office.delivered().await;
    site.pass(SignedDuration::from_hours(25));
    office.host.run_all().await;
    let hidden = office.deployment.hide_bytes();

    office.erase(&delivered).await.unwrap_err();
    hidden.restore();

    assert!(!office.has_artifact(&delivered).await);
    assert_eq!(office.deployment.data_keys(), keys, "no byte keeps a key");
    assert_eq!(office.deployment.byte_files().len(), 1, "the container");
    site.pass(DAY);
    office.host.run_all().await;
    assert!(office.deployment.byte_files().is_empty());
}
