//! Hosts over one engine, one folder and one demo world.

mod folders;
mod kept;
mod phone;
mod plugins;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_signing::DocumentFamily;
use parafa_api_signing::requests::{DocumentBytes, NewDocument};
use parafa_demo::{
    MobileIdSwitches, MobileIdTimings, Service, SmartIdSwitches, SmartIdTimings, World, WorldConfig,
};
use parafa_fixtures::{DemoKeys, built};
use parafa_outbound::HostPort;
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product, Role};
use parafa_platform::billing::{BillingRow, Funding, PriceLadder};
use parafa_platform::networks::Networks;
use parafa_plugin_host::{PluginHost, PluginHostConfig, Registry};
use parafa_signing::quota::add_up;
use parafa_store::bytes::SWEEP_REST;
use parafa_store::engine::Engine;
use parafa_store::faulty::FaultPlan;
use parafa_store::{
    ByteFiles, Clock, DataKeys, FaultyEngine, Folder, ManualClock, MasterKey, OffsetClock, Store,
    StoreError, StoreMode,
};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OnceCell;
use url::Url;
use uuid::Uuid;

pub(crate) use self::kept::Kept;
pub(crate) use self::phone::Phone;
use super::careless_engine::CarelessEngine;
use super::host::{Host, Oddity};
use super::plugin_calls::Calls;
use super::requests::document;
use crate::config::{Attorney, Card, Config, Mail, MobileId, Protection, SmartId};
use crate::startup::HostParts;

/// Personal codes of signers, each with an account of their own.
pub(crate) const SIGN: [&str; 2] = ["50001029996", "39901012239"];
/// Phone number and personal code of a person with Mobile-ID.
pub(crate) const SIGNS_BY_MOBILE_ID: (&str, &str) = ("+37060000666", "50001018865");
/// Personal code of a person who refuses on the device.
pub(crate) const REFUSES: &str = "30403039917";

/// Workspace of all callers.
const WORKSPACE: Uuid = Uuid::from_u128(1);

/// The product's plugin.
const PDF: &str = "pdf.wasm";
/// Plugin whose documents choose its misbehaviour.
pub(crate) const TOY: &str = "test/toy.wasm";
/// The same plugin for containers.
pub(crate) const TOY_CONTAINER: &str = "test/toy-container.wasm";
/// Concurrent plugin calls.
const PLUGIN_CALLS: NonZeroU32 = NonZeroU32::new(16).unwrap();
/// Time for which a poll is held for an unused link. In real time: the clock
/// must go on.
const LINK_POLL: Duration = Duration::from_millis(100);
const START: &str = "2026-03-11T09:00:00Z";

/// Caller that posts documents.
pub(crate) const CALLER: Caller = Caller {
    key: Uuid::from_u128(2),
    product: Product::Signing,
    tenant: WORKSPACE,
    mode: KeyMode::Live,
    role: Role::Member,
    networks: Networks::ANY,
    claim: None,
};

/// Environment shared by deployments: the outside world, the time and, if their
/// hosts do not run concurrently, the plugins.
pub(crate) struct Site {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) plugins: Arc<Registry>,
    /// Record of the calls to plugins.
    pub(crate) calls: Arc<Calls>,
    plugin_host: Arc<PluginHost>,
    /// Components of the plugins.
    components: Vec<&'static str>,
    /// Number of the last event read from the world's journal.
    journal_seen: AtomicU64,
    document: Bytes,
    /// Configuration of every host.
    pub(crate) config: Config,
    world: World,
    /// Listener that accepts connections and never answers.
    deaf: TcpListener,
    /// Dropped before the folder, from which it reads new keys.
    _keys: DemoKeys,
    folder: TempDir,
}

impl Site {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[PDF, TOY]).await
    }

    async fn start_with(components: &[&'static str]) -> Self {
        // Another test in this process may have installed the provider.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let world_clock = clock.clone();
        let world = folder.path().join("world");
        let keys = DemoKeys::lent_to(&world);
        let mut world = WorldConfig::new(world);
        world.clock = Arc::new(move || world_clock.now());
        world.smart_id = SmartIdTimings {
            longest_link_poll: LINK_POLL,
            ..SmartIdTimings::immediate()
        };
        world.mobile_id = MobileIdTimings::immediate();
        world.http_callbacks = true;
        let world = World::start(world).await.unwrap();
        let mut plugin_host = PluginHostConfig::new(built::compiled_plugins());
        // Shared by all hosts: a suspended one must not block the others.
        plugin_host.max_concurrent = PLUGIN_CALLS;
        let calls = Arc::new(Calls::default());
        plugin_host.observer = calls.clone();
        let plugin_host = Arc::new(PluginHost::new(plugin_host).unwrap());
        let plugins = Arc::new(Registry::default());
        for component in components {
            let plugin = plugin_host.admit(built::plugin(component).into());
            let plugin = plugin.await.unwrap();
            plugins.install(plugin).unwrap();
        }
        let deaf = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut config = config(&world);
        config.outbound.allow = vec![deaf.local_addr().unwrap().to_string()];
        Self {
            clock,
            plugins,
            calls,
            plugin_host,
            components: components.to_vec(),
            journal_seen: AtomicU64::new(0),
            document: Bytes::from(parafa_fixtures::plain(1)),
            config,
            world,
            deaf,
            _keys: keys,
            folder,
        }
    }

    /// Starts a site with the plugins of all formats that people sign.
    pub(crate) async fn of_every_format() -> Self {
        Self::start_with(&[PDF, "asice.wasm", "adoc.wasm"]).await
    }

    /// Starts a site where an attorney signs evidence.
    pub(crate) async fn with_attorney() -> Self {
        let mut site = Self::start_with(&[PDF, "asice.wasm", "jades.wasm"]).await;
        let files = site.world.attorney().clone();
        site.config.attorney = Some(Attorney::of_files(files.key, files.certificate));
        site
    }

    /// Opens a deployment, and a host that does not fail.
    pub(crate) async fn opened(&self) -> (Deployment<'_>, Host) {
        let deployment = Deployment::new(self);
        let host = deployment.sound_host().await;
        (deployment, host)
    }

    /// Reads a file of the world's folder.
    pub(crate) fn world_file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join("world").join(name)).unwrap()
    }

    /// Returns the fault plan of a service of the world.
    pub(crate) fn faults(&self, service: Service) -> &parafa_demo::FaultPlan {
        self.world.faults(service)
    }

    pub(crate) fn smart_id(&self) -> &SmartIdSwitches {
        self.world.smart_id_switches()
    }

    pub(crate) fn mobile_id(&self) -> &MobileIdSwitches {
        self.world.mobile_id_switches()
    }

    /// Returns a document that can be signed without errors.
    pub(crate) fn posted(&self) -> Posted {
        Posted {
            extension: "pdf",
            content: self.document.clone(),
        }
    }

    /// Returns the number of prompts on phones since the last call.
    pub(crate) async fn rings(&self) -> Rings {
        let control = Url::parse(&self.world.addresses().control).unwrap();
        let seen = self.journal_seen.load(Ordering::Relaxed);
        let query = format!("/journal?after={seen}&waitMs=0");
        let journal = ask(&control, "GET", &query, "").await;
        let journal: Vec<serde_json::Value> = serde_json::from_str(&journal).unwrap();
        if let Some(last) = journal.last() {
            let number = last["number"].as_u64().unwrap();
            self.journal_seen.store(number, Ordering::Relaxed);
        }
        let rang = |session: &str| {
            let rang = journal
                .iter()
                .filter(|entry| entry["event"] == "phone_rang");
            rang.filter(|entry| entry["session"] == session).count()
        };
        Rings {
            certificates: rang("certificate_choice"),
            signatures: rang("signature"),
            authentications: rang("authentication"),
        }
    }

    /// Sends an app's request to an identity card of the world.
    pub(crate) async fn card(&self, path: &str, body: Option<&str>) -> serde_json::Value {
        let cards = Url::parse(&self.world.addresses().cards).unwrap();
        let method = if body.is_some() { "POST" } else { "GET" };
        let answer = ask(&cards, method, path, body.unwrap_or_default()).await;
        serde_json::from_str(&answer).unwrap()
    }

    /// Returns the URL of a webhook that never answers.
    pub(crate) fn deaf_hook(&self) -> String {
        format!("http://{}/", self.deaf.local_addr().unwrap())
    }

    /// Waits for a call of that webhook; the call lasts as long as the returned
    /// value.
    pub(crate) async fn hook_called(&self) -> TcpStream {
        self.deaf.accept().await.unwrap().0
    }

    pub(crate) fn pass(&self, time: SignedDuration) {
        self.clock.advance(time);
    }
}

/// Number of prompts on phones, by purpose.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Rings {
    pub(crate) certificates: usize,
    pub(crate) signatures: usize,
    pub(crate) authentications: usize,
}

/// Sends a request for a path below `base` to the world; returns the answer,
/// which must be a success.
async fn ask(base: &Url, method: &str, path: &str, body: &str) -> String {
    let (status, content) = exchange(base, method, path, body).await;
    assert!(status.starts_with("20"), "{status}");
    content
}

/// Sends a request for a path below `base`; returns status and content.
async fn exchange(base: &Url, method: &str, path: &str, body: &str) -> (String, String) {
    let address = (base.host_str().unwrap(), base.port().unwrap());
    let mut world = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "{method} {}{path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        base.path().trim_end_matches('/'),
        address.0,
        body.len(),
    );
    world.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    world.read_to_string(&mut answer).await.unwrap();
    let (head, content) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.to_owned(), content.to_owned())
}

/// A document to post.
#[derive(Clone)]
pub(crate) struct Posted {
    pub(crate) extension: &'static str,
    pub(crate) content: Bytes,
}

impl Posted {
    /// Wraps the document as in a request.
    pub(crate) fn document(self) -> NewDocument {
        NewDocument {
            bytes: DocumentBytes::Content(self.content),
            family: DocumentFamily::Further,
            ..document(&format!("sutartis.{}", self.extension))
        }
    }

    /// Returns a document that makes its plugin behave like this; `plugins/toy`
    /// lists the behaviours.
    pub(crate) fn toy(behaviour: &str) -> Self {
        Self {
            extension: "toy",
            content: format!("TOY {behaviour} 5\nhello").into(),
        }
    }

    /// Returns a container with one member that makes its plugin behave like
    /// this.
    pub(crate) fn container(behaviour: &str) -> Self {
        Self {
            extension: "bdoc",
            content: format!("TOY {behaviour} 0\nmember stored main 5 5 a.txt\nhello").into(),
        }
    }
}

fn config(world: &World) -> Config {
    let addresses = world.addresses();
    let smart_id = addresses.smart_id.trim_end_matches("/v3");
    let mut config = Config {
        smart_id: Some(SmartId {
            base_url: Url::parse(smart_id).unwrap(),
            scheme_name: "smart-id-demo".to_owned(),
            relying_party_name: world.smart_id_party().name,
            relying_party_uuid: world.smart_id_party().uuid,
            broker: false,
        }),
        mobile_id: Some(MobileId {
            base_url: Url::parse(&addresses.mobile_id).unwrap(),
            relying_party_name: world.mobile_id_party().name,
            relying_party_uuid: world.mobile_id_party().uuid,
        }),
        card: Card {
            enabled: Some(true),
            app_name: Some("Kortelė".to_owned()),
            ..Card::default()
        },
        ..Config::default()
    };
    // Nothing listens there: letters wait.
    config.mail = Some(Mail {
        host: "127.0.0.1".to_owned(),
        port: 1,
        protection: Protection::None,
        user: None,
        password_file: None,
        from: "parafa@example.com".to_owned(),
    });
    config.timestamps.urls = vec![Url::parse(&addresses.tsa).unwrap()];
    config.trust.folder = Some(world.trust_folder().to_owned());
    let responder = Url::parse(&addresses.ocsp).unwrap();
    let responder = HostPort::of(&responder).unwrap();
    config.trust.allow = vec![responder.to_string()];
    config
}

/// Creates a folder in memory, if possible: the tests sync many small files.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Records, bytes and keys shared by hosts, which outlive them.
pub(crate) struct Deployment<'s> {
    pub(crate) site: &'s Site,
    kept: Arc<Kept>,
    folder: TempDir,
    master: Arc<MasterKey>,
    funded: OnceCell<()>,
    /// True if its hosts know of each other.
    is_shared: bool,
}

impl<'s> Deployment<'s> {
    /// Creates an empty deployment and resets the clock.
    pub(crate) fn new(site: &'s Site) -> Self {
        site.clock.set(START.parse().unwrap());
        Self {
            site,
            kept: Arc::new(Kept::new()),
            folder: scratch(),
            master: Arc::new(MasterKey::from_bytes([7; 32])),
            funded: OnceCell::new(),
            is_shared: false,
        }
    }

    /// Creates a deployment for concurrent hosts, each with plugins of its own.
    pub(crate) fn shared(site: &'s Site) -> Self {
        Self {
            is_shared: true,
            ..Self::new(site)
        }
    }

    /// Opens a host whose engine fails as planned, possibly during opening.
    pub(crate) async fn host(&self, faults: FaultPlan) -> Result<Host, StoreError> {
        let oddity = Oddity {
            faults,
            ..Oddity::default()
        };
        self.odd_host(oddity).await
    }

    /// Opens a host with peculiarities.
    pub(crate) async fn odd_host(&self, oddity: Oddity) -> Result<Host, StoreError> {
        self.funded.get_or_init(|| self.fund()).await;
        let site = self.site;
        let engine = self.engine(oddity.faults).await;
        let looked_through: Arc<dyn Engine> = match oddity.skipped_check {
            Some(skipped_check) => Arc::new(CarelessEngine::new(engine.clone(), skipped_check)),
            None => engine.clone(),
        };
        let clock = OffsetClock::new(site.clock.clone());
        clock.advance(oddity.skew);
        let records = Records::from(self.records(looked_through).await?);
        let plugins = self.plugins(&records).await;
        let own = HostParts {
            plugins: plugins.registry,
            plugin_source: plugins.source,
            plugin_store: plugins.store,
            records,
            clock: Arc::new(clock),
            base_url: Url::parse("http://localhost:8080").unwrap(),
        };
        Ok(Host::new(&site.config, own, engine, self.kept.clone()))
    }

    /// Lets the workspace pay, before any fault can occur.
    async fn fund(&self) {
        let row = &BillingRow {
            tenant: WORKSPACE,
            funding: Funding::Ok,
            ceiling: None,
            recovery_url: None,
            ladder: PriceLadder::default(),
        };
        let records = self.sound_records().await;
        let stored = records
            .store
            .transact(|tx| Box::pin(async move { tx.insert(row).await }));
        stored.await.unwrap();
    }

    /// Opens records, bytes and keys for read access.
    pub(crate) async fn sound_records(&self) -> Folder {
        let engine = self.engine(FaultPlan::default()).await;
        self.records(engine).await.unwrap()
    }

    async fn engine(&self, faults: FaultPlan) -> Arc<FaultyEngine> {
        let engine = self.kept.engine(&self.site.clock, self.is_shared).await;
        Arc::new(FaultyEngine::new(engine, faults))
    }

    async fn records(&self, engine: Arc<dyn Engine>) -> Result<Folder, StoreError> {
        let store = Store::open(engine, &self.master, StoreMode::Demo).await?;
        add_up(&store).await?;
        let [bytes, keys] = ["bytes", "keys"].map(|name| self.folder.path().join(name));
        Ok(Folder {
            store,
            files: ByteFiles::open_folder(&bytes).unwrap(),
            keys: DataKeys::create_folder(&keys, self.master.clone()).unwrap(),
            master: self.master.clone(),
        })
    }

    /// Opens a host that does not fail.
    pub(crate) async fn sound_host(&self) -> Host {
        self.host(FaultPlan::default()).await.unwrap()
    }

    /// Advances the clock; files in the folders age by the same time.
    pub(crate) fn pass(&self, time: SignedDuration) {
        self.site.pass(time);
        if time < SignedDuration::try_from(SWEEP_REST).unwrap() {
            return;
        }
        let written = SystemTime::now() - SWEEP_REST;
        for path in self.entries("bytes").chain(self.entries("keys")) {
            let file = std::fs::File::options().write(true).open(path);
            file.unwrap().set_modified(written).unwrap();
        }
    }
}
