//! A host of a deployment, and clients' requests to it.

use std::sync::Arc;

use jiff::SignedDuration;
use parafa_api_signing::requests::{
    CreateBatch, CreateSigning, NewFile, NewSigner, Party, Source, Terms,
};
use parafa_api_signing::{self as api, Delivery, SigningOrder, WireName};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::ceremonies::StartAttempt;
use parafa_ceremony::reader::{UnsealedCeremony, UnsealedSigner};
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::SigningMethod;
use parafa_operator::{OperateError, OperatorCommand};
use parafa_platform::jobs::{JobRunner, LEASE};
use parafa_plugin_host::PluginSource;
use parafa_signing::SigningError;
use parafa_signing::batches::UnsealedBatch;
use parafa_signing::files::UnsealedFile;
use parafa_store::faulty::FaultPlan;
use parafa_store::jobs::{ClaimedJob, Lane};
use parafa_store::{FaultyEngine, StoreError, StoreMode, Table};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::careless_engine::SkippedCheck;
use super::deployment::{CALLER, Kept, Posted, Site};
use super::requests::{party, terms};
use super::suspension::Suspension;
use crate::app::App;
use crate::config::Config;
use crate::jobs;
use crate::lanes::LANES;
use crate::startup::{self, ExternalServices, HostParts};

/// Maximum number of runs with due jobs at one moment.
pub(crate) const MOST_RUNS: usize = 1000;

/// Host server without its listeners.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) app: Arc<App>,
    pub(crate) runner: Arc<JobRunner>,
    pub(crate) engine: Arc<FaultyEngine>,
    pub(crate) suspension: Suspension,
    /// Parts that it was built from.
    pub(crate) parts: HostParts,
    pub(crate) config: Config,
    /// True if it continues a job that makes progress, as a server does;
    /// otherwise it runs one step at a time.
    pub(crate) goes_on: bool,
    mode: StoreMode,
    /// Shared, because the host may outlive the deployment.
    kept: Arc<Kept>,
    /// Changes made to its external services.
    changes: Vec<Arc<DoorChange>>,
}

/// Change of a host's external services.
type DoorChange = dyn Fn(&mut ExternalServices) + Send + Sync;

/// Peculiarities of a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oddity {
    /// Faults of its engine, possibly during opening.
    pub(crate) faults: FaultPlan,
    /// Lead of its clock over that of the records.
    pub(crate) skew: SignedDuration,
    /// Check that its engine skips.
    pub(crate) skipped_check: Option<SkippedCheck>,
}

impl Host {
    /// Creates the host from these parts, with the configured services.
    pub(crate) fn new(
        config: &Config,
        own: HostParts,
        engine: Arc<FaultyEngine>,
        kept: Arc<Kept>,
    ) -> Self {
        let records = (engine, kept);
        Self::assembled(config.clone(), StoreMode::Demo, own, records, Vec::new())
    }

    fn assembled(
        config: Config,
        mode: StoreMode,
        own: HostParts,
        (engine, kept): (Arc<FaultyEngine>, Arc<Kept>),
        changes: Vec<Arc<DoorChange>>,
    ) -> Self {
        let mut doors = ExternalServices::open(&config).unwrap();
        for change in &changes {
            change(&mut doors);
        }
        let assembled = startup::assemble(&config, mode, own.clone(), doors);
        let app = Arc::new(assembled.unwrap());
        Self {
            runner: Arc::new(jobs::runner(&app).unwrap()),
            app,
            engine,
            parts: own,
            suspension: Suspension::default(),
            config,
            goes_on: false,
            mode,
            kept,
            changes,
        }
    }

    /// Returns the same host with other external services.
    pub(crate) fn with_doors(
        &self,
        change: impl Fn(&mut ExternalServices) + Send + Sync + 'static,
    ) -> Self {
        let mut changes = self.changes.clone();
        changes.push(Arc::new(change));
        self.rebuilt(self.mode, changes)
    }

    /// Returns the same host outside of the demo world.
    pub(crate) fn in_production(&self) -> Self {
        self.rebuilt(StoreMode::Production, self.changes.clone())
    }

    /// Returns the same host with another source of the plugins that began an
    /// operation.
    pub(crate) fn with_plugin_source(&self, plugin_source: Arc<dyn PluginSource>) -> Self {
        let own = HostParts {
            plugin_source,
            ..self.parts.clone()
        };
        self.rebuilt_of(own, self.mode, self.changes.clone())
    }

    fn rebuilt(&self, mode: StoreMode, changes: Vec<Arc<DoorChange>>) -> Self {
        self.rebuilt_of(self.parts.clone(), mode, changes)
    }

    fn rebuilt_of(&self, own: HostParts, mode: StoreMode, changes: Vec<Arc<DoorChange>>) -> Self {
        let records = (self.engine.clone(), self.kept.clone());
        Self::assembled(self.config.clone(), mode, own, records, changes)
    }

    /// Returns whether its engine has crashed, and the host with it.
    pub(crate) fn is_down(&self) -> bool {
        self.engine.reach().is_err()
    }

    /// Returns the number of attempted commits.
    pub(crate) fn commits(&self) -> u64 {
        self.engine.commits()
    }

    /// Claims due jobs and runs each once, or for as long as it makes progress;
    /// returns their number.
    pub(crate) async fn run_due(&self) -> usize {
        let (goes_on, never) = (self.goes_on, CancellationToken::new());
        let mut running = JoinSet::new();
        for budget in LANES {
            let claimed = self.runner.claim(budget.lane, budget.jobs);
            for (mut job, turn) in claimed.await.unwrap_or_default() {
                let (runner, never) = (self.runner.clone(), never.clone());
                let run = async move {
                    match goes_on {
                        true => runner.run_on(&mut job, &never).await,
                        false => runner.run_one(&mut job).await,
                    }
                    drop(turn);
                };
                running.spawn(self.suspension.over(run));
            }
        }
        running.join_all().await.len()
    }

    /// Runs due jobs until there are none.
    pub(crate) async fn run_all(&self) {
        for _ in 0..MOST_RUNS {
            if self.run_due().await == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    /// Posts a document as a caller.
    pub(crate) async fn create(
        &self,
        posted: Posted,
        order: SigningOrder,
    ) -> Result<CeremonyRow, SigningError> {
        self.create_told(posted, order, None).await
    }

    /// Posts a document with a webhook.
    pub(crate) async fn create_told(
        &self,
        posted: Posted,
        order: SigningOrder,
        webhook_url: Option<String>,
    ) -> Result<CeremonyRow, SigningError> {
        let signer = NewSigner {
            party: Party::Signer {
                personal_code: None,
                methods: api::SigningMethod::ALL
                    .iter()
                    .map(|(_, method)| *method)
                    .collect(),
            },
            ..party("signer@example.com")
        };
        let request = CreateSigning {
            source: Source::Document(posted.document()),
            terms: Terms {
                webhook_url: webhook_url.map(|url| url.parse().unwrap()),
                expires_in_days: 1,
                signers: vec![signer.clone(), signer],
                ..terms(order, Delivery::Link)
            },
        };
        let opened = self.post(request).await?;
        Ok(opened.row)
    }

    pub(crate) async fn post(
        &self,
        request: CreateSigning,
    ) -> Result<UnsealedCeremony, SigningError> {
        let signings = &self.app.signing.signings;
        signings.create_signing(&CALLER, request).await
    }

    pub(crate) async fn post_batch(
        &self,
        request: CreateBatch,
    ) -> Result<UnsealedBatch, SigningError> {
        self.app
            .signing
            .signings
            .create_batch(&CALLER, request)
            .await
    }

    pub(crate) async fn store_file(&self, file: NewFile) -> Result<UnsealedFile, SigningError> {
        self.app.signing.intake.store_file(&CALLER, file).await
    }

    pub(crate) async fn add_signer(
        &self,
        signing: Uuid,
        signer: NewSigner,
    ) -> Result<UnsealedSigner, SigningError> {
        let signings = &self.app.signing.signings;
        signings.add_signer(&CALLER, signing, signer).await
    }

    pub(crate) async fn cancel(&self, signing: Uuid) -> Result<UnsealedCeremony, CeremonyError> {
        self.app.ceremonies.cancel(&CALLER, signing).await
    }

    pub(crate) async fn erase(&self, signing: Uuid) -> Result<bool, CeremonyError> {
        self.app.ceremonies.erase(&CALLER, signing).await
    }

    pub(crate) async fn carry_out(&self, command: OperatorCommand) -> Result<Value, OperateError> {
        self.app.operator_commands().carry_out(command).await
    }

    /// Stores a row without checks.
    pub(crate) async fn put<T: Table>(&self, row: &T) {
        let store = &self.app.records.store;
        let stored = store.transact(|tx| Box::pin(async move { tx.put(row).await }));
        let stored: Result<(), StoreError> = stored.await;
        stored.unwrap();
    }

    /// Claims due jobs, like a host that dies while working on them.
    pub(crate) async fn claim(&self, lane: Lane, most: usize) -> Vec<ClaimedJob> {
        let claimed = self.app.records.store.claim_due(lane, most, LEASE).await;
        claimed.unwrap()
    }

    /// Creates and cancels a signing whose webhook never answers.
    pub(crate) async fn cancel_told(&self, site: &Site) {
        let webhook = Some(site.deaf_hook());
        let created = self.create_told(site.posted(), SigningOrder::Parallel, webhook);
        let id = created.await.unwrap().ceremony.id.uuid();
        self.app.ceremonies.cancel(&CALLER, id).await.unwrap();
    }

    /// Presses the button as a signer.
    pub(crate) async fn start(&self, signer: Uuid, person: &str) -> Result<(), CeremonyError> {
        let person = Some(format!("PNOLT-{person}"));
        self.start_as(signer, SigningMethod::SmartId, person, None)
            .await
    }

    /// Starts with Mobile-ID.
    pub(crate) async fn start_mobile_id(
        &self,
        signer: Uuid,
        (phone_number, person): (&str, &str),
    ) -> Result<(), CeremonyError> {
        let person = Some(format!("PNOLT-{person}"));
        let phone_number = Some(phone_number.to_owned());
        self.start_as(signer, SigningMethod::MobileId, person, phone_number)
            .await
    }

    /// Starts without a personal code: the signer's app follows a link.
    pub(crate) async fn start_by_link(&self, signer: Uuid) -> Result<(), CeremonyError> {
        self.start_as(signer, SigningMethod::SmartId, None, None)
            .await
    }

    pub(crate) async fn start_as(
        &self,
        signer: Uuid,
        method: SigningMethod,
        person: Option<String>,
        phone_number: Option<String>,
    ) -> Result<(), CeremonyError> {
        let ceremony = self.app.ceremonies.open_link(&self.link(signer)).await?;
        let start = StartAttempt {
            method,
            person,
            phone_number,
            document_sha256: None,
            language: None,
        };
        self.app.ceremonies.start_attempt(ceremony, start).await
    }

    /// Returns the token of a signer's link.
    pub(crate) fn link(&self, signer: Uuid) -> String {
        self.app.links.ceremony_token(signer).reveal().to_owned()
    }
}
