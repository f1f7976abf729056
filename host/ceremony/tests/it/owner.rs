use std::num::NonZeroU16;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;
use parafa_ceremony::ceremonies::EarlierSignaturesCache;
use parafa_ceremony::changes::Changes;
use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_ceremony::links::Links;
use parafa_ceremony::opening::NewDocument;
use parafa_ceremony::reader::SigningReader;
use parafa_ceremony::records::{Delivery, SigningRow};
use parafa_ceremony::{CeremonyError, CeremonyOwner, ErasedByOwner, Erasure, Lifecycle, Owners};
use parafa_domain::{
    Language, SignerId, SignerRole, SigningEvent, SigningMethod, SigningOrder, SigningStatus,
};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product, Role};
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::KnownDocuments;
use parafa_store::keys::DataKey;
use parafa_store::{
    AcceptedLoss, Folder, FolderOptions, StoreMode, SystemClock, Transaction, audit,
};
use tempfile::TempDir;
use tokio::sync::Notify;
use uuid::Uuid;

/// The order that the ceremony is held for.
const ORDER: Uuid = Uuid::from_u128(7);

/// A product of which ceremonies know nothing: it notes on its order what
/// happens to the ceremony.
struct Orders;

async fn note(
    tx: &mut Transaction<'_>,
    row: &SigningRow,
    name: &'static str,
) -> Result<(), CeremonyError> {
    let fields = audit::Fields::new().reference("ceremony", row.signing.id);
    Ok(audit::append(tx, row.owner().subject, name, fields)
        .await
        .map(drop)?)
}

#[async_trait]
impl CeremonyOwner for Orders {
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        _: &DataKey,
        row: &SigningRow,
        events: &[SigningEvent],
    ) -> Result<(), CeremonyError> {
        if events.contains(&SigningEvent::Cancelled) {
            note(tx, row, "order.withdrawn").await?;
        }
        Ok(())
    }

    async fn invite(
        &self,
        _: &mut Transaction<'_>,
        _: &DataKey,
        _: &SigningRow,
        _: SignerId,
    ) -> Result<bool, CeremonyError> {
        Ok(true)
    }

    fn has_final_event(&self, _: &DataKey, _: &SigningRow) -> Result<bool, CeremonyError> {
        Ok(false)
    }

    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError> {
        note(tx, erasure.row, "order.emptied").await?;
        Ok(ErasedByOwner::default())
    }

    async fn finish_erasure(&self, _: Uuid) -> Result<(), CeremonyError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_ceremony_is_held_for_the_record_of_another_product_and_tells_that_one_alone() {
    let (root, records) = opened().await;
    let lifecycle = lifecycle(&records);
    let of_orders = caller(Product::Diligence);
    let id = open_ceremony(&lifecycle, &of_orders).await;

    let stranger = caller(Product::Signing);
    for refused in [
        lifecycle.cancel_signing(&stranger, id).await.map(drop),
        lifecycle.erase_signing(&stranger, id).await.map(drop),
    ] {
        assert!(matches!(refused, Err(CeremonyError::NotFound)));
    }
    assert!(noted(&records).await.is_empty());

    let cancelled = lifecycle.cancel_signing(&of_orders, id).await.unwrap();
    assert_eq!(cancelled.row.signing.status, SigningStatus::Cancelled);
    assert_eq!(noted(&records).await, ["order.withdrawn"]);
    assert!(lifecycle.erase_signing(&of_orders, id).await.unwrap());
    assert_eq!(noted(&records).await, ["order.withdrawn", "order.emptied"]);
    drop((lifecycle, records, root));
}

async fn opened() -> (TempDir, Records) {
    let root = tempfile::tempdir().unwrap();
    let options = FolderOptions {
        path: root.path().join("data"),
        master_key: root.path().join("master.key"),
        mode: StoreMode::Production,
        cache_bytes: 1 << 20,
        commits_per_sync: NonZeroU16::MIN,
        accepted_loss: AcceptedLoss::None,
        clock: Arc::new(SystemClock),
    };
    let folder = Folder::open(&options).await.unwrap();
    (root, Records::from(folder))
}

fn lifecycle(records: &Records) -> Lifecycle {
    let base_url = "https://sign.example".parse().unwrap();
    Lifecycle {
        records: records.clone(),
        reader: SigningReader::new(records.clone()),
        owners: Owners::new(vec![(Product::Diligence, Arc::new(Orders) as _)]),
        idempotency: Idempotency::new(records.clone(), SignedDuration::from_hours(24)),
        links: Links::new(base_url, records.master.clone()),
        known_documents: Arc::new(KnownDocuments::new(1.try_into().unwrap())),
        earlier_signatures_cache: Arc::new(EarlierSignaturesCache::default()),
        changes: Changes::default(),
        work: Arc::new(Notify::new()),
    }
}

fn caller(product: Product) -> Caller {
    Caller {
        key: Uuid::from_u128(1),
        product,
        tenant: Uuid::from_u128(2),
        mode: KeyMode::Live,
        role: Role::Owner,
    }
}

async fn open_ceremony(lifecycle: &Lifecycle, caller: &Caller) -> Uuid {
    let document = NewDocument {
        name: "consent.pdf".to_owned(),
        content: "%PDF".into(),
        media_type: "application/pdf".to_owned(),
        format: "pdf".to_owned(),
        came_signed: false,
    };
    let signer = SignerForm {
        role: SignerRole::Signer,
        email: "ona@example.lt".to_owned(),
        name: None,
        language: Some(Language::Lt),
        methods: [SigningMethod::SmartId].into_iter().collect(),
        personal_code: None,
    };
    let terms = TermsForm {
        title: "Consent".to_owned(),
        delivery: Delivery::Email,
        order: SigningOrder::Parallel,
        webhook_url: None,
        external_id: None,
        expires_in_days: 14,
        soft_deadline_in_days: None,
        subject_notice: None,
        signers: vec![signer],
    };
    let prepared = lifecycle.prepare(caller, Some(ORDER), document, &terms, None);
    let prepared = prepared.await.unwrap();
    prepared.settle();
    let ceremony = &prepared;
    let store = &lifecycle.records.store;
    store
        .transact(|tx| Box::pin(async move { ceremony.insert(tx).await }))
        .await
        .unwrap();
    prepared.opened.id()
}

/// What the product has noted on its order.
async fn noted(records: &Records) -> Vec<String> {
    let events = records
        .store
        .read(|tx| Box::pin(async move { audit::events(tx, ORDER, 0, 10).await }))
        .await;
    let events = events.unwrap().into_iter();
    events.map(|event| event.name).collect()
}
