//! Reads that meet a concurrent change or unreadable data.

use parafa_api_signing::requests::ListQuery;
use parafa_api_signing::{Delivery, SigningApi, SigningOrder};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::ListedCeremony;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::CeremonyStatus;
use parafa_signing::listing::Listing;
use parafa_store::Clock;
use serde_json::Value;

use crate::tests::support::{CALLER, DAY, Host, Site, batch, create, read};

#[tokio::test]
async fn signings_that_change_while_they_are_read_are_shown_as_they_are_then() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let stale = two(&host).await;
    let [smaller, erased] = [0, 1].map(|n| stale[n].ceremony.id.uuid());
    let removed = stale[0].ceremony.signers[0].id.uuid();
    let app = &host.app;
    app.ceremonies
        .remove_signer(&CALLER, smaller, removed)
        .await
        .unwrap();
    app.ceremonies.erase(&CALLER, erased).await.unwrap();

    let shown = app.reader.show(stale).await.unwrap();

    let [
        ListedCeremony::Unsealed(smaller),
        ListedCeremony::Unsealed(erased),
    ] = &shown[..]
    else {
        panic!("{shown:?}")
    };
    assert_eq!(smaller.signers.len(), 1);
    assert_eq!(smaller.signers[0].email, "antras@example.com");
    assert!(erased.row.erased_at.is_some());
    assert_eq!(erased.private.title, "");
}

#[tokio::test]
async fn a_signing_that_cannot_be_read_denies_nobody_the_others() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let rows = two(&host).await;
    let [lost, sound] = [0, 1].map(|n| rows[n].ceremony.id.uuid());
    host.app.records.keys.erase(rows[0].data_key).await.unwrap();
    let api = host.app.signing_api();
    let everything = ListQuery {
        status: None,
        limit: 10,
        starting_after: None,
    };

    let list = api.list_signings(&CALLER, everything).await.unwrap();

    let list = serde_json::to_value(&list).unwrap();
    let [newer, older] = list["data"].as_array().unwrap().as_slice() else {
        panic!("{list}")
    };
    assert_eq!(newer["signingId"], sound.to_string());
    assert_eq!(newer["title"], "Sutartis");
    assert!(newer.get("detail").is_none());
    assert_eq!(older["signingId"], lost.to_string());
    assert_eq!(older["title"], "");
    assert_eq!(older["status"], "pending");
    assert_eq!(older["erasedAt"], Value::Null);
    assert_eq!(older["signers"][0]["email"], Value::Null);
    assert!(older["detail"].is_string());
    let alone = host.app.reader.read(&CALLER, lost).await;
    assert!(alone.unwrap_err().is_unreadable());
    assert!(host.app.reader.read(&CALLER, sound).await.is_ok());
}

#[tokio::test]
async fn a_signing_that_cannot_be_read_denies_nobody_the_rest_of_its_batch() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let raised = host.post_batch(batch()).await;
    let raised = raised.unwrap();
    let lost = raised.signings[1].row().data_key;
    host.app.records.keys.erase(lost).await.unwrap();

    let read = host
        .app
        .signing
        .signings
        .read_batch(&CALLER, raised.row.id)
        .await;

    let read = read.unwrap().signings;
    let [
        ListedCeremony::Unsealed(_),
        ListedCeremony::Unreadable { row: unread, .. },
        ListedCeremony::Unsealed(_),
    ] = &read[..]
    else {
        panic!("{read:?}")
    };
    assert_eq!(unread.data_key, lost);
}

#[tokio::test]
async fn a_pending_signing_that_cannot_be_read_can_be_erased() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Email).await;
    let id = row.ceremony.id.uuid();
    deployment.damage_keys();

    assert!(host.erase(id).await.unwrap());

    let row = read(&host, id).await;
    assert!(row.erased_at.is_some() && row.pending_deletion.is_none());
    assert_eq!(row.ceremony.status, CeremonyStatus::Cancelled);
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn what_is_asked_of_a_signing_that_was_erased_meanwhile_is_not_found() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let stale = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let signer = stale.ceremony.signers[0].id.uuid();
    let link = host.link(signer);
    let ceremony = host.app.ceremonies.open_link(&link).await.unwrap();
    let id = stale.ceremony.id.uuid();
    host.erase(id).await.unwrap();

    let version = stale.versions[0].clone();
    let download = host
        .app
        .ceremonies
        .downloads()
        .download(&stale, version)
        .await;
    assert!(matches!(download, Err(CeremonyError::NotFound)));
    let state = host.app.ceremonies.state(ceremony).await;
    assert!(matches!(state, Err(CeremonyError::NotFound)));
    let cancelled = host.cancel(id).await;
    assert!(matches!(cancelled, Err(CeremonyError::NotFound)));
    let comments = host
        .app
        .signing
        .comments
        .list_comments(&CALLER, id)
        .await
        .unwrap();
    assert!(comments.is_empty());
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_seen_before_its_job_has_come_to_it() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    site.pass(DAY * 14);
    assert!(row.ceremony.expires_at <= site.clock.now());

    let seen = host.app.reader.read(&CALLER, id).await.unwrap();

    assert_eq!(seen.row.ceremony.status, CeremonyStatus::Expired);
    let refused = host.app.ceremonies.change_deadline(&CALLER, id, 3).await;
    assert!(matches!(refused, Err(CeremonyError::SigningEnded(_))));
    let listing = Listing {
        status: Some(CeremonyStatus::Pending),
        limit: 10,
        after: None,
    };
    let pending = host
        .app
        .signing
        .signings
        .list_signings(&CALLER, listing)
        .await
        .unwrap();
    assert!(pending.signings.is_empty());
    assert_eq!(
        read(&host, id).await.ceremony.status,
        CeremonyStatus::Pending,
        "its job stores and tells of it"
    );
}

async fn two(host: &Host) -> Vec<CeremonyRow> {
    let mut rows = Vec::new();
    for _ in 0..2 {
        rows.push(create(host, SigningOrder::Parallel, Delivery::Link).await);
    }
    rows
}
