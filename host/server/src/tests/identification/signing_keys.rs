//! Choice of the key that signs an order's evidence.

use parafa_attorney::KeyStorage;
use parafa_domain::KycStatus;
use parafa_identification::IdentificationError;

use super::{Conduct, LIVE, Office, TEST, WatchedKey, form};
use crate::tests::support::{SIGN, Site};

#[tokio::test]
async fn a_device_signs_for_live_keys_alone() {
    let site = Site::with_attorney().await;
    let mut office = Office::open(&site).await;
    let device = WatchedKey::of(&site, KeyStorage::Device);
    office.host = device.in_place_of_the_key_of(&office.host);

    let refused = office.order(&TEST, form()).await;
    assert!(matches!(refused, Err(IdentificationError::NoSigner)));
    assert_eq!(device.signatures(), 0);

    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    let delivered = office.end(&LIVE, &ordered).await;
    assert_eq!(delivered.status, KycStatus::Delivered);
    assert_eq!(device.signatures(), 2, "the payload and the container");
    drop(office);
}

#[tokio::test]
async fn an_order_of_the_sandbox_that_is_open_when_a_device_comes_is_not_signed_by_it() {
    let site = Site::with_attorney().await;
    let mut office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;
    let device = WatchedKey::of(&site, KeyStorage::Device);
    office.host = device.in_place_of_the_key_of(&office.host);

    office.complete(&ordered).await;
    let ended = office.end_in_hours(&TEST, &ordered).await;

    assert_eq!(ended.status, KycStatus::Failed);
    assert_eq!(device.signatures(), 0);
    drop(office);
}

#[tokio::test]
async fn outside_of_the_demo_world_a_key_in_a_file_signs_for_test_keys_alone() {
    let site = Site::with_attorney().await;
    let mut office = Office::open(&site).await;
    office.host = office.host.in_production();

    let refused = office.order(&LIVE, form()).await;
    assert!(matches!(refused, Err(IdentificationError::NoSigner)));

    let ordered = office.ordered(&TEST).await;
    office.complete(&ordered).await;
    let ended = office.end(&TEST, &ordered).await;
    assert_eq!(ended.status, KycStatus::Delivered);
    drop(office);
}

#[tokio::test]
async fn where_no_attorney_signs_nothing_is_asked_or_written() {
    let site = Site::start().await;
    let office = Office::open(&site).await;
    office.world.conduct(Conduct::Down);

    for caller in [LIVE, TEST] {
        let refused = office.order(&caller, form()).await;
        assert!(matches!(refused, Err(IdentificationError::NoSigner)));
    }

    assert!(office.questions().await.is_empty());
    assert_eq!(office.deployment.data_keys(), 0);
    assert!(office.deployment.byte_files().is_empty());
    drop(office);
}
