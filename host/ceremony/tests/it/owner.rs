use std::num::{NonZeroU16, NonZeroU32};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::SignedDuration;
use parafa_ceremony::ceremonies::Providers;
use parafa_ceremony::changes::Changes;
use parafa_ceremony::downloads::DownloadSlots;
use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_ceremony::links::Links;
use parafa_ceremony::opening::UploadedDocument;
use parafa_ceremony::records::{CeremonyRow, Delivery};
use parafa_ceremony::{
    Ceremonies, CeremonyError, CeremonyOwner, CeremonyParts, ErasedByOwner, Erasure, Owners,
};
use parafa_domain::{
    CeremonyEvent, CeremonyStatus, Language, SignerId, SignerRole, SigningMethod, SigningOrder,
};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product, Role};
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::Registry;
use parafa_store::keys::DataKey;
use parafa_store::{
    AcceptedLoss, Folder, FolderOptions, StoreMode, SystemClock, Transaction, audit,
};
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom, TimestampClient, TimestampPolicy,
    TrustAnchors,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The order that the ceremony is held for.
const ORDER: Uuid = Uuid::from_u128(7);

/// A product of which ceremonies know nothing: it notes on its order what
/// happens to the ceremony.
struct Orders;

async fn note(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    name: &'static str,
) -> Result<(), CeremonyError> {
    let fields = audit::Fields::new().reference("ceremony", row.ceremony.id);
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
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError> {
        if events.contains(&CeremonyEvent::Cancelled) {
            note(tx, row, "order.withdrawn").await?;
        }
        Ok(())
    }

    async fn invite(
        &self,
        _: &mut Transaction<'_>,
        _: &DataKey,
        _: &CeremonyRow,
        _: SignerId,
    ) -> Result<bool, CeremonyError> {
        Ok(true)
    }

    fn has_final_event(&self, _: &DataKey, _: &CeremonyRow) -> Result<bool, CeremonyError> {
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
    let ceremonies = ceremonies(&records);
    let of_orders = caller(Product::Diligence);
    let id = open_ceremony(&records, &ceremonies, &of_orders).await;

    let stranger = caller(Product::Signing);
    for refused in [
        ceremonies.cancel(&stranger, id).await.map(drop),
        ceremonies.erase(&stranger, id).await.map(drop),
    ] {
        assert!(matches!(refused, Err(CeremonyError::NotFound)));
    }
    assert!(noted(&records).await.is_empty());

    let cancelled = ceremonies.cancel(&of_orders, id).await.unwrap();
    assert_eq!(cancelled.row.ceremony.status, CeremonyStatus::Cancelled);
    assert_eq!(noted(&records).await, ["order.withdrawn"]);
    assert!(ceremonies.erase(&of_orders, id).await.unwrap());
    assert_eq!(noted(&records).await, ["order.withdrawn", "order.emptied"]);
    drop((ceremonies, records, root));
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

/// Nobody is asked anything here.
struct Nowhere;

#[async_trait]
impl HttpPort for Nowhere {
    async fn exchange(
        &self,
        _: http::Request<Bytes>,
        _: ExchangeLimits,
    ) -> Result<http::Response<Bytes>, HttpPortError> {
        Err(HttpPortError::Spent)
    }
}

fn ceremonies(records: &Records) -> Ceremonies {
    let base_url = "https://sign.example".parse().unwrap();
    let (anchors, plugins) = (
        Arc::new(TrustAnchors::default()),
        Arc::<Registry>::default(),
    );
    let ports = Ports {
        configured: Arc::new(Nowhere),
        named: Arc::new(Nowhere),
    };
    let random = Arc::new(SystemRandom);
    let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
    let policy = TimestampPolicy::default();
    Ceremonies::new(CeremonyParts {
        records: records.clone(),
        owners: Owners::new(vec![(Product::Diligence, Arc::new(Orders) as _)]),
        idempotency: Idempotency::new(records.clone(), SignedDuration::from_hours(24)),
        links: Links::new(base_url, records.master.clone()),
        plugins: plugins.clone(),
        plugin_source: plugins,
        signer_check: SignerCheck::new(anchors.clone(), ocsp),
        timestamps: TimestampClient::new(ports.configured, random, anchors, Vec::new(), policy),
        providers: Providers::default(),
        cards: false,
        clock: Arc::new(SystemClock),
        finish_within: SignedDuration::from_hours(1),
        download_slots: DownloadSlots::new(NonZeroU32::MIN),
        changes: Changes::default(),
        work: Arc::default(),
        stop: CancellationToken::new(),
    })
}

fn caller(product: Product) -> Caller {
    Caller {
        key: Uuid::from_u128(1),
        product,
        tenant: Uuid::from_u128(2),
        mode: KeyMode::Live,
        role: Role::Owner,
        claim: None,
    }
}

async fn open_ceremony(records: &Records, ceremonies: &Ceremonies, caller: &Caller) -> Uuid {
    let document = UploadedDocument {
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
    let prepared = ceremonies.prepare(caller, Some(ORDER), document, &terms, None);
    let prepared = prepared.await.unwrap();
    let ceremony = &prepared;
    records
        .store
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
