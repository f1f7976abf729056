//! One host of a deployment, and what clients ask of it.

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

/// How often there is something due at one moment.
pub(crate) const MOST_RUNS: usize = 1000;

/// A host server without its listeners.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) app: Arc<App>,
    pub(crate) runner: Arc<JobRunner>,
    pub(crate) engine: Arc<FaultyEngine>,
    pub(crate) suspension: Suspension,
    /// What it was made of.
    pub(crate) parts: HostParts,
    pub(crate) config: Config,
    /// Whether it goes on with a job that gets on, as a server does; else one step is done at a
    /// time.
    pub(crate) goes_on: bool,
    mode: StoreMode,
    /// It may outlive the deployment.
    kept: Arc<Kept>,
    /// What was changed of its ways to the services of others.
    changes: Vec<Arc<DoorChange>>,
}

/// Changes a host's ways to the services of others.
type DoorChange = dyn Fn(&mut ExternalServices) + Send + Sync;

/// What is peculiar about a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oddity {
    /// What goes wrong in its engine, perhaps in opening it already.
    pub(crate) faults: FaultPlan,
    /// How far its clock is ahead of the records'.
    pub(crate) skew: SignedDuration,
    /// What its engine does not look at.
    pub(crate) skipped_check: Option<SkippedCheck>,
}

impl Host {
    /// The host of these premises, with the services that are configured.
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

    /// The same host with other ways to the services of others.
    pub(crate) fn with_doors(
        &self,
        change: impl Fn(&mut ExternalServices) + Send + Sync + 'static,
    ) -> Self {
        let mut changes = self.changes.clone();
        changes.push(Arc::new(change));
        self.rebuilt(self.mode, changes)
    }

    /// The same host outside of the demo world.
    pub(crate) fn in_production(&self) -> Self {
        self.rebuilt(StoreMode::Production, self.changes.clone())
    }

    /// The same host where plugins that began something are found otherwise.
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

    /// Whether its engine has crashed, and the host with it.
    pub(crate) fn is_down(&self) -> bool {
        self.engine.reach().is_err()
    }

    /// How many commits it has tried.
    pub(crate) fn commits(&self) -> u64 {
        self.engine.commits()
    }

    /// Claims what is due and runs each job once, or for as long as it gets on; tells how many
    /// there were.
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

    /// Runs what is due until nothing is.
    pub(crate) async fn run_all(&self) {
        for _ in 0..MOST_RUNS {
            if self.run_due().await == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    /// A caller posts a document.
    pub(crate) async fn create(
        &self,
        posted: Posted,
        order: SigningOrder,
    ) -> Result<CeremonyRow, SigningError> {
        self.create_told(posted, order, None).await
    }

    /// The same with a webhook.
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

    /// A caller posts what is to be signed.
    pub(crate) async fn post(
        &self,
        request: CreateSigning,
    ) -> Result<UnsealedCeremony, SigningError> {
        let signings = &self.app.signing.signings;
        signings.create_signing(&CALLER, request).await
    }

    /// A caller posts several documents.
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

    /// A caller stores a file.
    pub(crate) async fn store_file(&self, file: NewFile) -> Result<UnsealedFile, SigningError> {
        self.app.signing.intake.store_file(&CALLER, file).await
    }

    /// A caller adds a signer.
    pub(crate) async fn add_signer(
        &self,
        signing: Uuid,
        signer: NewSigner,
    ) -> Result<UnsealedSigner, SigningError> {
        let signings = &self.app.signing.signings;
        signings.add_signer(&CALLER, signing, signer).await
    }

    /// A caller cancels a signing.
    pub(crate) async fn cancel(&self, signing: Uuid) -> Result<UnsealedCeremony, CeremonyError> {
        self.app.ceremonies.cancel(&CALLER, signing).await
    }

    /// A caller erases a signing.
    pub(crate) async fn erase(&self, signing: Uuid) -> Result<bool, CeremonyError> {
        self.app.ceremonies.erase(&CALLER, signing).await
    }

    /// An operator has a command carried out.
    pub(crate) async fn carry_out(&self, command: OperatorCommand) -> Result<Value, OperateError> {
        self.app.operator_commands().carry_out(command).await
    }

    /// Stores a row as it is.
    pub(crate) async fn put<T: Table>(&self, row: &T) {
        let store = &self.app.records.store;
        let stored = store.transact(|tx| Box::pin(async move { tx.put(row).await }));
        let stored: Result<(), StoreError> = stored.await;
        stored.unwrap();
    }

    /// Claims jobs that are due, as a host does that dies over them.
    pub(crate) async fn claim(&self, lane: Lane, most: usize) -> Vec<ClaimedJob> {
        let claimed = self.app.records.store.claim_due(lane, most, LEASE).await;
        claimed.unwrap()
    }

    /// A signing is cancelled, of which a webhook that says nothing is told.
    pub(crate) async fn cancel_told(&self, site: &Site) {
        let webhook = Some(site.deaf_hook());
        let created = self.create_told(site.posted(), SigningOrder::Parallel, webhook);
        let id = created.await.unwrap().ceremony.id.uuid();
        self.app.ceremonies.cancel(&CALLER, id).await.unwrap();
    }

    /// A signer presses the button.
    pub(crate) async fn start(&self, signer: Uuid, person: &str) -> Result<(), CeremonyError> {
        let person = Some(format!("PNOLT-{person}"));
        self.start_as(signer, SigningMethod::SmartId, person, None)
            .await
    }

    /// The same with Mobile-ID.
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

    /// The same without saying who they are: their app follows a link.
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

    /// The token of a signer's link.
    pub(crate) fn link(&self, signer: Uuid) -> String {
        self.app.links.ceremony_token(signer).reveal().to_owned()
    }
}
