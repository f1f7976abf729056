//! Events that wait in a line before their receiver.

use parafa_domain::SigningOrder;
use parafa_store::StoreError;
use parafa_store::jobs::ClaimedJob;
use tokio::task::JoinSet;

use super::deployment::{CALLER, Deployment, Site};
use super::host::Host;
use super::stage::TICK;
use crate::error::WorkflowError;
use crate::records::{Product, WebhookSecret, WebhookSecretRow};
use crate::workflow::lanes::DELIVERIES;
use crate::workflow::lease::LEASE;

/// Deliveries to one receiver at the same time.
const AT_ONCE: usize = 4;

#[tokio::test]
async fn an_event_in_a_line_is_not_signed_before_its_turn() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let host = deployment.sound_host().await;
    give_secret(&host).await;
    for _event in 0..=AT_ONCE {
        let webhook = Some(site.deaf_hook());
        let created = host.create_told(site.posted(), SigningOrder::Parallel, webhook);
        let id = created.await.unwrap().signing.id.uuid();
        host.app.cancel_signing(&CALLER, id).await.unwrap();
    }
    let mut jobs = claim(&host).await;
    let last = jobs.pop().unwrap();
    let mut under_way = JoinSet::new();
    let mut calls = Vec::new();
    for job in jobs {
        let app = host.app.clone();
        under_way.spawn(async move { app.deliver_event(&job).await });
        calls.push(site.hook_called().await);
    }
    // Whatever is signed from now on fails.
    take_secret(&host).await;

    host.app.deliver_event(&last).await.unwrap();

    under_way.shutdown().await;
    site.pass(TICK);
    let last = claim(&host).await.pop().unwrap();
    let signed = host.app.deliver_event(&last).await;
    assert!(matches!(signed, Err(WorkflowError::Inconsistent(_))));
    drop(host);
    site.shutdown().await;
}

async fn claim(host: &Host) -> Vec<ClaimedJob> {
    let claimed = host.app.store.claim_due(DELIVERIES, AT_ONCE + 1, LEASE);
    claimed.await.unwrap()
}

async fn give_secret(host: &Host) {
    let secret = WebhookSecret::random().unwrap();
    let row = WebhookSecretRow::seal(
        &host.app.master,
        CALLER.tenant,
        Product::Signing,
        &secret,
        None,
    );
    let row = &row.unwrap();
    let stored = host
        .app
        .store
        .transact(|tx| Box::pin(async move { tx.insert(row).await }));
    stored.await.unwrap();
}

async fn take_secret(host: &Host) {
    let key = (CALLER.tenant, Product::Signing.number());
    let taken = host
        .app
        .store
        .transact(|tx| Box::pin(async move { tx.delete::<WebhookSecretRow>(&key).await }));
    let taken: Result<bool, StoreError> = taken.await;
    assert!(taken.unwrap());
}
