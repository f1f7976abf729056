//! Crashes in every commit of a delivery, before it is applied and after.

use std::ops::Range;

use parafa_attorney::KeyStorage;
use parafa_domain::KycStatus;
use parafa_platform::billing::Amount;
use parafa_store::faulty::{CrashPoint, FaultPlan};

use super::{LIVE, Office, WatchedKey, host, ledger, told};
use crate::tests::support::{SIGN, Site};

#[tokio::test]
async fn a_crash_in_any_commit_of_a_delivery_neither_charges_nor_delivers_twice() {
    let site = Site::with_attorney().await;
    let sound = deliver(&site, FaultPlan::default()).await;
    let commits = sound.commits;
    let mut signed_before = 0;
    assert!(commits.end >= commits.start + 2, "{commits:?}");

    for commit in commits {
        for point in [CrashPoint::BeforeCommit, CrashPoint::BeforeAcknowledgement] {
            let faults = FaultPlan {
                crash: Some((commit, point)),
                ..FaultPlan::default()
            };
            let delivery = deliver(&site, faults).await;
            if delivery.was_signed {
                signed_before += 1;
                assert_eq!(delivery.signatures, sound.signatures, "{commit}: {point:?}");
            }
        }
    }
    assert!(signed_before > 0, "nobody died with signed evidence");
}

struct Delivery {
    /// Commits that the first host tried after its start.
    commits: Range<u64>,
    /// True if it left signed evidence undelivered.
    was_signed: bool,
    /// Number of signatures by the attorney's key.
    signatures: usize,
}

/// Signs on a sound host, and leaves the rest to a host that may die and its
/// successors.
async fn deliver(site: &Site, faults: FaultPlan) -> Delivery {
    let mut office = Office::open(site).await;
    let key = WatchedKey::of(site, KeyStorage::Memory);
    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    let is_verifying = |status| status == KycStatus::Verifying;
    office.until(&LIVE, &ordered, is_verifying).await;

    let is_planned = faults.crash.is_some();
    let frail = host(&office.deployment, &office.world, faults).await;
    let frail = key.in_place_of_the_key_of(&frail);
    let opened = frail.commits();
    while frail.run_due().await > 0 {}
    assert_eq!(frail.is_down(), is_planned, "the crash was not reached");
    let commits = opened..frail.commits();
    drop(frail);
    office.host = host(&office.deployment, &office.world, FaultPlan::default()).await;
    office.host = key.in_place_of_the_key_of(&office.host);
    let was_signed = office.row(&ordered).await.evidence.is_some();
    let delivered = office.end(&LIVE, &ordered).await;

    assert_eq!(delivered.status, KycStatus::Delivered);
    let amounts: Vec<Amount> = ledger(&office.host)
        .await
        .iter()
        .map(|row| row.amount)
        .collect();
    assert_eq!(amounts, [Amount::from_cents(2499)]);
    assert_eq!(told(&office.host, ordered.id).await, ["kyc.delivered"]);
    let orders = &office.host.app.diligence.identifications;
    assert!(orders.artifact(&LIVE, ordered.id).await.is_ok());
    Delivery {
        commits,
        was_signed,
        signatures: key.signatures(),
    }
}
