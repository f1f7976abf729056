//! Hosts over one engine in memory, one folder and one demo world.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_demo::{Service, SmartIdTimings, World, WorldConfig};
use parafa_domain::{Language, SignerRole, SigningMethod, SigningOrder};
use parafa_plugin_host::{PluginHost, PluginHostConfig, Registry, Unobserved};
use parafa_store::bytes::SWEEP_REST;
use parafa_store::engine::{FaultPlan, MemoryDisk};
use parafa_store::{
    ByteFiles, Clock, DataKeys, Folder, ManualClock, MasterKey, MemoryEngine, Store, StoreError,
    StoreMode,
};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use url::Url;
use uuid::Uuid;

use crate::app::App;
use crate::config::{Config, Mail, Protection, SmartId};
use crate::error::WorkflowError;
use crate::records::{BillingRow, Delivery, Funding, KeyMode, PriceLadder, Role, SigningRow};
use crate::shelf::Shelf;
use crate::workflow::accounts::Caller;
use crate::workflow::ceremony::StartAttempt;
use crate::workflow::forms::{
    ContentForm, DocumentForm, SignerForm, SigningForm, SourceForm, TermsForm,
};
use crate::workflow::lanes;
use crate::workflow::lease::LEASE;
use crate::{jobs, startup};

/// Personal codes of people who sign, each with an account of their own.
pub(super) const SIGN: [&str; 2] = ["50001029996", "39901012239"];
/// The code of somebody who refuses on the device.
pub(super) const REFUSES: &str = "30403039917";

/// The workspace of every caller.
const WORKSPACE: Uuid = Uuid::from_u128(1);

/// The plugin of the product.
const PDF: &str = "pdf.wasm";
/// One that can be told to misbehave.
const TOY: &str = "test/toy.wasm";
const START: &str = "2026-03-11T09:00:00Z";

/// Who posts documents.
pub(super) const CALLER: Caller = Caller {
    key: Uuid::from_u128(2),
    tenant: WORKSPACE,
    mode: KeyMode::Live,
    role: Role::Member,
};

/// What deployments share: the outside world, the time and the plugins.
pub(super) struct Site {
    pub(super) clock: Arc<ManualClock>,
    pub(super) plugins: Arc<Registry>,
    plugin_host: Arc<PluginHost>,
    /// Number of the world's event that was looked at last.
    journal_seen: AtomicU64,
    document: Bytes,
    config: Config,
    world: World,
    _folder: TempDir,
}

impl Site {
    pub(super) async fn start() -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let world_clock = clock.clone();
        let mut world = WorldConfig::new(folder.path().join("world"));
        world.clock = Arc::new(move || world_clock.now());
        world.smart_id = SmartIdTimings::immediate();
        world.http_callbacks = true;
        let world = World::start(world).await.unwrap();
        let plugin_host = PluginHostConfig::new(folder.path().join("plugin-cache"));
        let plugin_host = Arc::new(PluginHost::new(plugin_host).unwrap());
        let plugins = Arc::new(Registry::default());
        for component in [PDF, TOY] {
            let plugin = plugin_host.admit(component_of(component)).await.unwrap();
            plugins.install(plugin).unwrap();
        }
        Self {
            clock,
            plugins,
            plugin_host,
            journal_seen: AtomicU64::new(0),
            document: Bytes::from(parafa_fixtures::plain(1)),
            config: config(&world),
            world,
            _folder: folder,
        }
    }

    pub(super) async fn shutdown(self) {
        self.world.shutdown().await;
    }

    /// What is to go wrong at a service of the world.
    pub(super) fn faults(&self, service: Service) -> &parafa_demo::FaultPlan {
        self.world.faults(service)
    }

    /// A document that is signed without a hitch.
    pub(super) fn posted(&self) -> Posted {
        Posted {
            extension: "pdf",
            content: self.document.clone(),
        }
    }

    /// Installs a build of the toy that behaves as the last one did and has a
    /// digest of its own; gives that.
    pub(super) async fn replace_toy(&self, build: u8) -> String {
        // A custom section of the component: its length, the length of its
        // name, the name, the content.
        let section = [&[0, 6, 4][..], b"made", &[build]].concat();
        let component = [&component_of(TOY)[..], &section].concat();
        let plugin = self.plugin_host.admit(component.into()).await.unwrap();
        let digest = plugin.digest().to_string();
        self.plugins.install(plugin).unwrap();
        digest
    }

    /// Installs the toy as it was at first.
    pub(super) async fn restore_toy(&self) {
        let plugin = self.plugin_host.admit(component_of(TOY)).await.unwrap();
        self.plugins.install(plugin).unwrap();
    }

    /// How often phones have been asked for a signature since this was asked
    /// last.
    pub(super) async fn signature_rings(&self) -> usize {
        let control = Url::parse(&self.world.addresses().control).unwrap();
        let address = (control.host_str().unwrap(), control.port().unwrap());
        let mut world = TcpStream::connect(address).await.unwrap();
        let seen = self.journal_seen.load(Ordering::Relaxed);
        let path = format!("{}/journal?after={seen}&waitMs=0", control.path());
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", address.0);
        world.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        world.read_to_string(&mut answer).await.unwrap();
        let (head, journal) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("200 OK"), "{head}");
        let journal: Vec<serde_json::Value> = serde_json::from_str(journal).unwrap();
        if let Some(last) = journal.last() {
            let number = last["number"].as_u64().unwrap();
            self.journal_seen.store(number, Ordering::Relaxed);
        }
        let rang = journal
            .iter()
            .filter(|entry| entry["event"] == "phone_rang");
        rang.filter(|entry| entry["session"] == "signature").count()
    }

    /// Moves the clock on.
    pub(super) fn pass(&self, time: SignedDuration) {
        self.clock.advance(time);
    }
}

fn component_of(file: &str) -> Bytes {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/plugins");
    let component = std::fs::read(built.join(file));
    component
        .expect("run `cargo xtask build-plugins` first")
        .into()
}

/// A document that a caller posts.
#[derive(Clone)]
pub(super) struct Posted {
    extension: &'static str,
    content: Bytes,
}

impl Posted {
    /// A document that makes its plugin behave like this; `plugins/toy` lists
    /// how.
    pub(super) fn toy(behaviour: &str) -> Self {
        Self {
            extension: "toy",
            content: format!("TOY {behaviour} 5\nhello").into(),
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
            relying_party_name: world.relying_party().name.clone(),
            relying_party_uuid: world.relying_party().uuid,
        }),
        ..Config::default()
    };
    // Nobody is at home: letters wait.
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
    config
}

/// A folder in memory where there is one: the tests sync many small files.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Records, bytes and keys that hosts share, and that outlive them.
pub(super) struct Deployment<'s> {
    pub(super) site: &'s Site,
    disk: MemoryDisk,
    folder: TempDir,
    master: Arc<MasterKey>,
    funded: OnceCell<()>,
}

impl<'s> Deployment<'s> {
    /// An empty one, at the beginning of time.
    pub(super) fn new(site: &'s Site) -> Self {
        site.clock.set(START.parse().unwrap());
        Self {
            site,
            disk: MemoryDisk::default(),
            folder: scratch(),
            master: Arc::new(MasterKey::from_bytes([7; 32])),
            funded: OnceCell::new(),
        }
    }

    /// A host whose engine fails as planned, perhaps in opening it already.
    pub(super) async fn host(&self, faults: FaultPlan) -> Result<Host, StoreError> {
        self.funded.get_or_init(|| self.fund()).await;
        let site = self.site;
        let engine = MemoryEngine::open(self.disk.clone(), faults, site.clock.clone());
        let engine = Arc::new(engine);
        let app = startup::assemble(
            &site.config,
            Url::parse("http://localhost:8080").unwrap(),
            site.clock.clone(),
            self.records(engine.clone()).await?,
            site.plugins.clone(),
            Shelf::new(&site.config, StoreMode::Demo, Arc::new(Unobserved)),
        );
        Ok(Host {
            app: Arc::new(app.unwrap()),
            engine,
        })
    }

    /// Lets the workspace pay, before anything can go wrong.
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

    /// Records, bytes and keys for somebody who only looks.
    pub(super) async fn sound_records(&self) -> Folder {
        let engine = MemoryEngine::open(
            self.disk.clone(),
            FaultPlan::default(),
            self.site.clock.clone(),
        );
        self.records(Arc::new(engine)).await.unwrap()
    }

    async fn records(&self, engine: Arc<MemoryEngine>) -> Result<Folder, StoreError> {
        let store = Store::open(engine, &self.master, StoreMode::Demo).await?;
        let [bytes, keys] = ["bytes", "keys"].map(|name| self.folder.path().join(name));
        Ok(Folder {
            store,
            files: ByteFiles::open_folder(&bytes).unwrap(),
            keys: DataKeys::open_folder(&keys, self.master.clone()).unwrap(),
            master: self.master.clone(),
        })
    }

    /// A host that does not fail.
    pub(super) async fn sound_host(&self) -> Host {
        self.host(FaultPlan::default()).await.unwrap()
    }

    /// Moves the clock on; what lies in the folders then has lain there for as
    /// long.
    pub(super) fn pass(&self, time: SignedDuration) {
        self.site.pass(time);
        if time < SignedDuration::try_from(SWEEP_REST).unwrap() {
            return;
        }
        let written = SystemTime::now() - SWEEP_REST;
        for name in ["bytes", "keys"] {
            for file in std::fs::read_dir(self.folder.path().join(name)).unwrap() {
                let file = std::fs::File::options()
                    .write(true)
                    .open(file.unwrap().path());
                file.unwrap().set_modified(written).unwrap();
            }
        }
    }

    /// Keeps the byte files from being read or written for a while.
    pub(super) fn hide_bytes(&self) -> Hidden {
        self.hide("bytes")
    }

    /// Keeps the data keys from being read or made for a while.
    pub(super) fn hide_keys(&self) -> Hidden {
        self.hide("keys")
    }

    fn hide(&self, name: &str) -> Hidden {
        let folder = self.folder.path();
        let hidden = Hidden {
            folder: folder.join(name),
            elsewhere: folder.join("hidden"),
        };
        std::fs::rename(&hidden.folder, &hidden.elsewhere).unwrap();
        hidden
    }

    /// The ids of the byte files that are there.
    pub(super) fn byte_files(&self) -> HashSet<Uuid> {
        let files = std::fs::read_dir(self.folder.path().join("bytes")).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.map(|name| name.parse().unwrap()).collect()
    }

    /// How many data keys there are.
    pub(super) fn data_keys(&self) -> usize {
        std::fs::read_dir(self.folder.path().join("keys"))
            .unwrap()
            .count()
    }
}

/// Byte files that are not where they belong.
pub(super) struct Hidden {
    folder: PathBuf,
    elsewhere: PathBuf,
}

impl Hidden {
    pub(super) fn restore(self) {
        std::fs::rename(self.elsewhere, self.folder).unwrap();
    }
}

/// A host server without its listeners.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) app: Arc<App>,
    engine: Arc<MemoryEngine>,
}

impl Host {
    /// Whether its engine has crashed, and the host with it.
    pub(super) fn is_down(&self) -> bool {
        self.app.store.health().is_err()
    }

    /// How many commits it has tried.
    pub(super) fn commits(&self) -> u64 {
        self.engine.commits()
    }

    /// Claims what is due and runs each job once; tells how many there were.
    pub(super) async fn run_due(&self) -> usize {
        let mut running = JoinSet::new();
        for budget in lanes::BUDGETS {
            let claimed = self.app.store.claim_due(budget.lane, budget.jobs, LEASE);
            for mut job in claimed.await.unwrap_or_default() {
                let app = self.app.clone();
                running.spawn(async move { jobs::run_one(&app, &mut job).await });
            }
        }
        running.join_all().await.len()
    }

    /// A caller posts a document.
    pub(super) async fn create(
        &self,
        posted: Posted,
        order: SigningOrder,
    ) -> Result<SigningRow, WorkflowError> {
        let signer = || SignerForm {
            role: SignerRole::Signer,
            email: "signer@example.com".to_owned(),
            name: None,
            language: Language::Lt,
            methods: [SigningMethod::SmartId].into_iter().collect(),
            personal_code: None,
        };
        let form = SigningForm {
            source: SourceForm::Document(DocumentForm {
                name: format!("sutartis.{}", posted.extension),
                extension: posted.extension.to_owned(),
                pointer: "/document/content".to_owned(),
                flatten_pointer: "/document/flatten".to_owned(),
                content: ContentForm::Inline(posted.content),
                flatten: false,
            }),
            terms: TermsForm {
                title: "Sutartis".to_owned(),
                delivery: Delivery::Link,
                order,
                webhook_url: None,
                external_id: None,
                expires_in_days: 1,
                soft_deadline_in_days: None,
                signers: vec![signer(), signer()],
            },
        };
        let opened = self.app.create_signing(&CALLER, form, None).await?;
        Ok(opened.row)
    }

    /// A signer presses the button.
    pub(super) async fn start(&self, signer: Uuid, person: &str) -> Result<(), WorkflowError> {
        let ceremony = self.app.ceremony(&self.link(signer)).await?;
        let start = StartAttempt {
            method: SigningMethod::SmartId,
            person: Some(format!("PNOLT-{person}")),
            document_sha256: None,
        };
        self.app.start_attempt(ceremony, start).await
    }

    /// The token of a signer's link.
    pub(super) fn link(&self, signer: Uuid) -> String {
        self.app.ceremony_token(signer).reveal().to_owned()
    }
}
