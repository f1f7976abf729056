//! The product on records of its own, with controlled registers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parafa_api_diligence::Purpose;
use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_http::BaseUrl;
use parafa_attorney::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError};
use parafa_diligence::call_log::CallLog;
use parafa_diligence::{Answered, Diligence, DiligenceError};
use parafa_fixtures::signed::Identity;
use parafa_identification::{AttorneySigners, RegisterSources};
use parafa_organisation_signature::{AnswerSigner, AnswerSignerParts};
use parafa_outbound::{AddressPolicy, OutboundClient, Reach, ServerTrust};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product, Role, TenantRow, TenantStatus};
use parafa_platform::agreement::AgreementRow;
use parafa_platform::billing::{Amount, BillingRow, Funding, UsageRow};
use parafa_platform::detached::Waiter;
use parafa_platform::idempotency::Idempotency;
use parafa_platform::networks::Networks;
use parafa_platform::register_calls::CallRow;
use parafa_plugin_host::Registry;
use parafa_register_data::{EntityCode, Query, Register};
use parafa_registers::{RegisterAnswer, RegisterSource, SourceError, Synthetic, Unavailable};
use parafa_store::sled::SledOptions;
use parafa_store::{
    AcceptedLoss, Folder, FolderOptions, Guard, ManualClock, Page, StoreError, StoreMode, Table,
};
use parafa_trust::{
    OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom, TimestampClient, TimestampPolicy,
    TrustAnchors, ValidationData, ValidationPolicy,
};
use tempfile::TempDir;
use tokio::sync::Barrier;
use uuid::Uuid;

/// An entity with data in all registers.
pub(crate) const COMPLETE: &str = "999000009";

/// Reviewer of the interpretation.
pub(crate) const REVIEWER: &str = "Rasa Teisingoji";
/// The id of requests.
pub(crate) const REQUEST: &str = "request-1";

pub(crate) const LIVE: Caller = Caller {
    key: Uuid::from_u128(2),
    product: Product::Diligence,
    tenant: Uuid::from_u128(1),
    mode: KeyMode::Live,
    role: Role::Member,
    networks: Networks::ANY,
    claim: None,
};

pub(crate) const TEST: Caller = Caller {
    mode: KeyMode::Test,
    ..LIVE
};

/// The product with its environment.
pub(crate) struct Stage {
    pub(crate) diligence: Diligence,
    pub(crate) registers: Arc<Registers>,
    pub(crate) clock: Arc<ManualClock>,
    _folder: TempDir,
}

/// The synthetic set, also for live keys, except for registers that are down.
pub(crate) struct Registers {
    set: Synthetic,
    down: Mutex<BTreeSet<Register>>,
    /// Registers without a configured source.
    left_out: Mutex<BTreeSet<Register>>,
    /// Barrier at which queries wait before the answer.
    held: Mutex<Option<Arc<Barrier>>>,
}

impl Registers {
    pub(crate) fn take_down(&self, register: Register) {
        self.down.lock().unwrap().insert(register);
    }

    pub(crate) fn leave_out(&self, register: Register) {
        self.left_out.lock().unwrap().insert(register);
    }

    /// Holds all answers until this many queries have arrived.
    pub(crate) fn answer_together(&self, callers: usize) {
        *self.held.lock().unwrap() = Some(Arc::new(Barrier::new(callers)));
    }
}

#[async_trait]
impl RegisterSource for Registers {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let held = self.held.lock().unwrap().clone();
        if let Some(held) = held {
            held.wait().await;
        }
        let register = query.register();
        if self.left_out.lock().unwrap().contains(&register) {
            let kind = query.kind();
            return Err(SourceError::NotOffered { register, kind });
        }
        let is_down = self.down.lock().unwrap().contains(&register);
        match is_down {
            true => {
                // By then the others have answered.
                tokio::task::yield_now().await;
                Err(Unavailable::Status(503).into())
            }
            false => self.set.answer(query).await,
        }
    }
}

/// A key known only by its certificate.
struct NoKey(Vec<Vec<u8>>);

#[async_trait]
impl SigningKey for NoKey {
    fn chain(&self) -> &[Vec<u8>] {
        &self.0
    }

    fn algorithm(&self) -> KeyAlgorithm {
        KeyAlgorithm::Rs256
    }

    fn storage(&self) -> KeyStorage {
        KeyStorage::Device
    }

    async fn check(&self) -> Result<(), SigningKeyError> {
        Err(SigningKeyError::Unavailable("there is none".to_owned()))
    }

    async fn sign_digest(&self, _: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.check().await.map(|()| Vec::new())
    }
}

impl Stage {
    pub(crate) async fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap());
        let clock = Arc::new(clock);
        let options = FolderOptions {
            path: folder.path().join("data"),
            master_key: folder.path().join("master.key"),
            other_master_keys: Vec::new(),
            mode: StoreMode::Demo,
            cache_bytes: SledOptions::DEFAULT_CACHE_BYTES,
            commits_per_sync: SledOptions::DEFAULT_COMMITS_PER_SYNC,
            accepted_loss: AcceptedLoss::None,
            clock: clock.clone(),
        };
        let records = Records::from(Folder::open(&options).await.unwrap());
        let registers = Arc::new(Registers {
            set: Synthetic::new(Arc::new(|| "2026-03-11T09:00:00Z".parse().unwrap())),
            down: Mutex::default(),
            left_out: Mutex::default(),
            held: Mutex::default(),
        });
        let diligence = Diligence {
            idempotency: Idempotency::new(records.clone(), SignedDuration::from_hours(24)),
            registers: RegisterSources {
                live: registers.clone(),
                sandbox: registers.clone(),
            },
            signers: AttorneySigners::new(Arc::new(signer(clock.clone())), StoreMode::Demo),
            base_url: BaseUrl::new(&"https://dd.example".parse().unwrap()),
            interpretation_reviewed_by: Some(REVIEWER.to_owned()),
            recovery_url: None,
            records,
        };
        let stage = Self {
            diligence,
            registers,
            clock,
            _folder: folder,
        };
        stage.open_workspace().await;
        stage
    }

    /// Creates a workspace that has agreed to everything and can pay.
    async fn open_workspace(&self) {
        let tenant = &TenantRow {
            id: LIVE.tenant,
            name: "Kanceliarija".to_owned(),
            status: TenantStatus::Active,
            created_at: Timestamp::UNIX_EPOCH,
            adoc_category: None,
        };
        let agreement = &AgreementRow {
            tenant: LIVE.tenant,
            terms: true,
            agreement: true,
            entity: Some(COMPLETE.parse().unwrap()),
        };
        let put = self.diligence.records.store.transact(|tx| {
            Box::pin(async move {
                tx.put(tenant).await?;
                tx.put(agreement).await?;
                Ok::<_, StoreError>(())
            })
        });
        put.await.unwrap();
        self.fund(None).await;
    }

    /// Sets the workspace's ceiling, in cents.
    pub(crate) async fn fund(&self, ceiling: Option<u64>) {
        let billing = &BillingRow {
            tenant: LIVE.tenant,
            funding: Funding::Ok,
            ceiling: ceiling.map(Amount::from_cents),
            recovery_url: None,
            ladder: serde_json::from_str(r#"["1=1.00"]"#).unwrap(),
        };
        let put = self.diligence.records.store.transact(|tx| {
            Box::pin(async move {
                tx.put(billing).await?;
                Ok::<_, StoreError>(())
            })
        });
        put.await.unwrap();
    }

    pub(crate) async fn ask(
        &self,
        question: fn(EntityCode) -> Question,
        entity: &str,
        form: Form,
    ) -> Result<Answered, DiligenceError> {
        let options = AnswerOptions {
            interpret: false,
            form,
            purpose: Some(Purpose::AmlKyc),
        };
        let question = question(entity.parse().unwrap());
        self.answer(&LIVE, &question, options).await
    }

    /// Answers a caller who waits.
    pub(crate) async fn answer(
        &self,
        caller: &Caller,
        question: &Question,
        options: AnswerOptions,
    ) -> Result<Answered, DiligenceError> {
        let waiter = Waiter::default();
        let awaited = waiter.awaited();
        let answered = self
            .diligence
            .answer(caller, question, options, REQUEST, &awaited);
        answered.await
    }

    pub(crate) fn call_log(&self, days: i64) -> CallLog {
        CallLog {
            store: self.diligence.records.store.clone(),
            kept: SignedDuration::from_hours(24 * days),
        }
    }

    pub(crate) async fn logged(&self) -> Vec<CallRow> {
        self.rows().await
    }

    pub(crate) async fn ledger(&self) -> Vec<UsageRow> {
        self.rows().await
    }

    async fn rows<T: Table<Key: Send + Sync>>(&self) -> Vec<T> {
        let page = &Page::oldest(1000);
        let store = &self.diligence.records.store;
        let read =
            store.read(|tx| Box::pin(async move { tx.page::<T>(page, Guard::none()).await }));
        read.await.unwrap().rows
    }
}

/// Returns a signer that signs nothing: there are no plugins.
fn signer(clock: Arc<ManualClock>) -> AnswerSigner {
    let policy = AddressPolicy::new(Vec::new(), Reach::ListedOnly);
    let nowhere = Arc::new(OutboundClient::new(policy, &ServerTrust::default()).unwrap());
    let ports = Ports {
        configured: nowhere.clone(),
        named: nowhere,
    };
    let anchors = Arc::new(TrustAnchors::new(Vec::new()));
    let random = Arc::new(SystemRandom);
    let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
    let parts = AnswerSignerParts {
        key: Arc::new(NoKey(vec![Identity::Ona.certificate()])),
        plugins: Arc::new(Registry::default()),
        timestamps: TimestampClient::new(
            ports.configured,
            random,
            anchors.clone(),
            Vec::new(),
            TimestampPolicy::default(),
        ),
        validation_data: ValidationData::new(
            anchors.clone(),
            ocsp.clone(),
            ValidationPolicy::default(),
        ),
        signer_check: SignerCheck::new(anchors, ocsp),
        clock,
    };
    AnswerSigner::new(parts).unwrap()
}
