//! Stored records, as tests read or write them.

use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_platform::Records;
use parafa_platform::accounts::{Product, TenantRow, TenantStatus};
use parafa_platform::outbox::NoticeRow;
use parafa_platform::webhook_secret::{WebhookSecret, WebhookSecretRow};
use parafa_store::{Guard, Page};
use uuid::Uuid;

use super::deployment::CALLER;
use super::host::Host;

pub(crate) async fn read(host: &Host, id: Uuid) -> CeremonyRow {
    host.app
        .records
        .store
        .get::<CeremonyRow>(&id)
        .await
        .unwrap()
        .unwrap()
}

pub(crate) async fn signings(host: &Host) -> Vec<CeremonyRow> {
    rows(host).await
}

pub(crate) async fn mails(host: &Host, wanted: MailKind) -> Vec<Uuid> {
    let notices: Vec<NoticeRow> = rows(host).await;
    notices
        .into_iter()
        .filter(|notice| notice.kind == wanted.notice())
        .filter_map(|notice| notice.party)
        .collect()
}

pub(crate) async fn rows<T: parafa_store::Table<Key: Send + Sync>>(host: &Host) -> Vec<T> {
    let page = &Page::oldest(1000);
    let read = host
        .app
        .records
        .store
        .read(|tx| Box::pin(async move { tx.page::<T>(page, Guard::none()).await }));
    read.await.unwrap().rows
}

/// Stores a byte file and a data key that no row names; returns the file's id.
pub(crate) async fn leave_behind(host: &Host) -> Uuid {
    let Records {
        store, keys, files, ..
    } = &host.app.records;
    let key = keys.create(store.new_id().await.unwrap()).await.unwrap();
    let file = store.new_id().await.unwrap();
    files.write(&key, file, "left".into()).await.unwrap().id
}

/// Names the workspace; letters use its name.
pub(crate) async fn name_workspace(host: &Host) {
    let row = &TenantRow {
        id: CALLER.tenant,
        name: "Ąžuolas, UAB".to_owned(),
        status: TenantStatus::Active,
        created_at: host.parts.clock.now(),
        adoc_category: None,
    };
    host.put(row).await;
}

pub(crate) async fn give_secret_to(host: &Host, workspace: Uuid) {
    let secret = WebhookSecret::random().unwrap();
    let row = WebhookSecretRow::seal(
        &host.app.records.master,
        workspace,
        Product::Signing,
        &secret,
        None,
    );
    let row = &row.unwrap();
    host.put(row).await;
}
