//! Attempts and signers after a caller's cancellation.

use parafa_api_signing::requests::{Party, PersonalCode};
use parafa_api_signing::{Delivery, SigningMethod, SigningOrder};
use parafa_ceremony::opening::identity_lock;
use parafa_ceremony::records::SignerPrivateRow;
use parafa_domain::CeremonyStatus;
use parafa_platform::billing::UsageRow;

use crate::tests::support::{MINUTE, SIGN, Site, create, party, read, rows};

#[tokio::test]
async fn cancelling_ends_the_running_attempt_and_its_signature_is_dropped() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    host.start(row.ceremony.signers[0].id.uuid(), SIGN[0])
        .await
        .unwrap();
    host.run_due().await;

    let cancelled = host.cancel(id).await.unwrap();

    assert_eq!(cancelled.row.ceremony.status, CeremonyStatus::Cancelled);
    site.pass(MINUTE);
    host.run_all().await;
    let row = read(&host, id).await;
    assert_eq!(row.versions.len(), 1);
    assert_eq!(row.ceremony.turn, None);
    assert_eq!(rows::<UsageRow>(&host).await.len(), 0, "it is not billed");
}

#[tokio::test]
async fn a_cancelled_signing_keeps_no_lock_of_its_signers() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let mut signer = party("trecias@example.com");
    signer.party = Party::Signer {
        personal_code: PersonalCode::of(SIGN[0]),
        methods: vec![SigningMethod::SmartId],
    };
    let added = host.add_signer(id, signer).await.unwrap();
    let lock = || async {
        let rows: Vec<SignerPrivateRow> = rows(&host).await;
        let mut rows = rows.into_iter();
        let row = rows.find(|row| row.signer == added.party.id.uuid());
        row.unwrap().identity_lock
    };
    let kept = lock().await.expect("a keyed digest");
    assert!(!kept.contains(SIGN[0]));
    let master = &host.app.records.master;
    let digest = identity_lock(master, added.party.id.uuid(), SIGN[0]);
    assert_eq!(kept, digest);

    let cancelled = host.cancel(id).await.unwrap();

    assert_eq!(lock().await, None);
    assert_eq!(cancelled.signers[2].personal_code, None);
    assert_eq!(cancelled.row.ceremony.status, CeremonyStatus::Cancelled);
}
