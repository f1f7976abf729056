//! Ceremonies of an unknown product, with a Smart-ID at which no one ever acts.

use std::fs;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_http::{BaseUrl, HttpConfig};
use parafa_ceremony::api::CeremonyOperations;
use parafa_ceremony::attempt::{ATTEMPTS, DRIVE};
use parafa_ceremony::ceremonies::{Providers, StartAttempt};
use parafa_ceremony::changes::Changes;
use parafa_ceremony::downloads::DownloadSlots;
use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_ceremony::links::Links;
use parafa_ceremony::opening::UploadedDocument;
use parafa_ceremony::records::{AttemptRow, CeremonyRow, Delivery};
use parafa_ceremony::{Ceremonies, CeremonyError, CeremonyParts, Owners};
use parafa_domain::{Language, SignerRole, SigningMethod, SigningOrder};
use parafa_eid::ChoiceLinks;
use parafa_eid::smart_id::{SmartIdClient, SmartIdConfig};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product, Role};
use parafa_platform::idempotency::Idempotency;
use parafa_platform::jobs::{JobHandlers, JobRunner, LaneBudget};
use parafa_platform::networks::Networks;
use parafa_plugin_host::Registry;
use parafa_store::memory::MemoryDisk;
use parafa_store::{
    ByteFiles, DataKeys, Folder, ManualClock, MasterKey, MemoryEngine, Store, StoreMode,
};
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom, TimestampClient, TimestampPolicy,
    TrustAnchors,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::owner::Orders;
use crate::smart_id::SmartId;

/// The order that owns the ceremony.
pub(crate) const ORDER: Uuid = Uuid::from_u128(7);
/// Steps of the clock while nothing is due.
pub(crate) const TICK: SignedDuration = SignedDuration::from_secs(1);

/// The ceremonies' caller.
pub(crate) const CALLER: Caller = Caller {
    key: Uuid::from_u128(1),
    product: Product::Diligence,
    tenant: Uuid::from_u128(2),
    mode: KeyMode::Live,
    role: Role::Owner,
    networks: Networks::ANY,
    claim: None,
};

const LANES: &[LaneBudget] = &[LaneBudget {
    lane: ATTEMPTS,
    jobs: 8,
    is_outbound: false,
}];
/// Most due jobs at one moment.
const MOST_RUNS: usize = 1000;
const START: &str = "2026-03-11T09:00:00Z";
/// ETSI semantics identifier of the signer who presses the button.
const PERSON: &str = "PNOLT-50001029996";

/// A ceremony with two signers, and its environment.
pub(crate) struct Stage {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) records: Records,
    pub(crate) ceremonies: Arc<Ceremonies>,
    pub(crate) runner: JobRunner,
    pub(crate) smart_id: Arc<SmartId>,
    pub(crate) ceremony: Uuid,
    pub(crate) signer: Uuid,
    folder: TempDir,
}

impl Stage {
    pub(crate) async fn set() -> Self {
        Self::set_over("%PDF".into()).await
    }

    /// Creates a ceremony over this document, which is not inspected.
    pub(crate) async fn set_over(content: Bytes) -> Self {
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let folder = tempfile::tempdir().unwrap();
        let records = records(&folder, &clock).await;
        let smart_id = Arc::new(SmartId::new(clock.clone()));
        let ceremonies = Arc::new(ceremonies(&records, &clock, &smart_id));
        let row = open(&records, &ceremonies, content).await;
        Self {
            clock,
            runner: runner(&records, &ceremonies, &folder),
            records,
            ceremonies,
            smart_id,
            ceremony: row.ceremony.id.uuid(),
            signer: row.ceremony.signers[0].id.uuid(),
            folder,
        }
    }

    /// Returns the token of the signer's link.
    pub(crate) fn link(&self) -> String {
        let token = self.ceremonies.links().ceremony_token(self.signer);
        token.reveal().to_owned()
    }

    /// Returns the pages and calls of signers.
    pub(crate) fn router(&self) -> Router {
        let operations = CeremonyOperations(self.ceremonies.clone());
        let base_url = self.ceremonies.links().base_url();
        let config = HttpConfig::new(BaseUrl::new(base_url));
        let origin = base_url.origin().ascii_serialization();
        parafa_api_ceremony::router(operations, &config, &origin)
    }

    /// Starts an attempt of the identified signer.
    pub(crate) async fn start(&self) -> Result<(), CeremonyError> {
        self.start_by(SigningMethod::SmartId, Some(PERSON)).await
    }

    /// Starts an attempt by this method.
    pub(crate) async fn start_by(
        &self,
        method: SigningMethod,
        person: Option<&str>,
    ) -> Result<(), CeremonyError> {
        let start = StartAttempt {
            method,
            person: person.map(str::to_owned),
            phone_number: None,
            document_sha256: None,
            language: None,
        };
        let link = self.ceremonies.open_link(&self.link()).await?;
        self.ceremonies.start_attempt(link, start).await
    }

    /// Starts an attempt by a device link, and waits for the link.
    pub(crate) async fn open_link(&self) {
        self.start_by(SigningMethod::SmartId, None).await.unwrap();
        self.run_due().await;
        assert!(self.newest_attempt().await.awaits_device_link());
    }

    /// Returns the link shown on the page.
    pub(crate) async fn shown_link(&self) -> ChoiceLinks {
        let link = self.ceremonies.open_link(&self.link()).await.unwrap();
        let state = self.ceremonies.state(link).await.unwrap();
        state.device_link.expect("a link is shown")
    }

    pub(crate) async fn give_up(&self) {
        let link = self.ceremonies.open_link(&self.link()).await.unwrap();
        self.ceremonies.give_up_attempt(&link).await.unwrap();
    }

    pub(crate) async fn newest_attempt(&self) -> AttemptRow {
        let row: Option<CeremonyRow> = self.records.store.get(&self.ceremony).await.unwrap();
        let attempt = row.unwrap().ceremony.signers[0].attempt.unwrap();
        let attempt = self.records.store.get(&attempt.uuid()).await.unwrap();
        attempt.unwrap()
    }

    /// Does each due step of an attempt once; returns their number.
    pub(crate) async fn run_due(&self) -> usize {
        let due = self.runner.claim(ATTEMPTS, MOST_RUNS).await.unwrap();
        let steps = due.len();
        for (mut job, _) in due {
            self.runner.run_one(&mut job).await;
        }
        steps
    }

    /// Does due steps until there are none.
    pub(crate) async fn run_all(&self) {
        for _ in 0..MOST_RUNS {
            if self.run_due().await == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    /// Changes one byte of every byte file.
    pub(crate) fn damage_bytes(&self, at: usize) {
        for file in fs::read_dir(self.folder.path().join("bytes")).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                let mut bytes = fs::read(&path).unwrap();
                bytes[at] ^= 1;
                fs::write(path, bytes).unwrap();
            }
        }
    }
}

async fn records(folder: &TempDir, clock: &Arc<ManualClock>) -> Records {
    let master = Arc::new(MasterKey::from_bytes([7; 32]));
    let engine = MemoryEngine::open(MemoryDisk::default(), clock.clone());
    let store = Store::open(Arc::new(engine), &master, StoreMode::Demo);
    let [bytes, keys] = ["bytes", "keys"].map(|name| folder.path().join(name));
    Records::from(Folder {
        store: store.await.unwrap(),
        files: ByteFiles::open_folder(&bytes).unwrap(),
        keys: DataKeys::create_folder(&keys, master.clone()).unwrap(),
        master,
    })
}

/// A destination that is never reached.
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

fn ceremonies(records: &Records, clock: &Arc<ManualClock>, smart_id: &Arc<SmartId>) -> Ceremonies {
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
    let service = "https://smart-id.example/".parse().unwrap();
    let settings = SmartIdConfig::new(service, Uuid::from_u128(3), "Parafa", "smart-id-demo");
    let client = SmartIdClient::new(settings, smart_id.clone());
    Ceremonies::new(CeremonyParts {
        records: records.clone(),
        owners: Owners::new(vec![(Product::Diligence, Arc::new(Orders) as _)]),
        idempotency: Idempotency::new(records.clone(), SignedDuration::from_hours(24)),
        links: Links::new(base_url, records.master.clone()),
        plugins: plugins.clone(),
        plugin_source: plugins,
        signer_check: SignerCheck::new(anchors.clone(), ocsp),
        timestamps: TimestampClient::new(ports.configured, random, anchors, Vec::new(), policy),
        providers: Providers::from([(SigningMethod::SmartId, Arc::new(client) as _)]),
        card_app: None,
        shows_parties: false,
        clock: clock.clone(),
        finish_within: SignedDuration::from_hours(1),
        download_slots: DownloadSlots::new(NonZeroU32::new(64).unwrap()),
        changes: Changes::default(),
        work: Arc::default(),
        stop: CancellationToken::new(),
    })
}

/// Returns a runner for attempts only.
fn runner(records: &Records, ceremonies: &Arc<Ceremonies>, folder: &TempDir) -> JobRunner {
    let mut handlers = JobHandlers::default();
    let ceremonies = ceremonies.clone();
    let registered = handlers.register(DRIVE, move |job| {
        let ceremonies = ceremonies.clone();
        Box::pin(async move { Ok(ceremonies.drive_attempt(job).await?) })
    });
    registered.unwrap();
    let data = folder.path().to_owned();
    let store = records.store.clone();
    JobRunner::new(store, data, Arc::default(), LANES, Vec::new(), handlers)
}

async fn open(records: &Records, ceremonies: &Ceremonies, content: Bytes) -> CeremonyRow {
    let document = UploadedDocument {
        name: "consent.pdf".to_owned(),
        content: content.into(),
        media_type: "application/pdf".to_owned(),
        format: "pdf".to_owned(),
        came_signed: false,
        has_scripts: false,
    };
    let signer = SignerForm {
        role: SignerRole::Signer,
        email: "ona@example.lt".to_owned(),
        name: None,
        language: Some(Language::Lt),
        methods: [SigningMethod::SmartId, SigningMethod::MobileId]
            .into_iter()
            .collect(),
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
        signers: vec![signer.clone(), signer],
    };
    let prepared = ceremonies.prepare(&CALLER, Some(ORDER), document, &terms, None);
    let prepared = prepared.await.unwrap();
    let ceremony = &prepared;
    records
        .store
        .transact(|tx| Box::pin(async move { ceremony.insert(tx).await }))
        .await
        .unwrap();
    prepared.opened.row
}
