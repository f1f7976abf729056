//! Plugins across restarts and hosts, with damaged or lost files.

mod broken;
mod contracts;
mod faults;
mod hosts;
mod trust;

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::executor::block_on;
use parafa_fixtures::built;
use parafa_platform::Records;
use parafa_plugin_host::{CallObserver, EndedCall, PluginDigest, Unobserved};
use parafa_store::faulty::FaultPlan;
use parafa_store::memory::MemoryDisk;
use parafa_store::{
    ByteFiles, DataKeys, FaultyEngine, Folder, MasterKey, MemoryEngine, Store, StoreMode,
    SystemClock,
};
use tempfile::TempDir;

use crate::{
    InstallTerms, KeyPair, PluginStore, PluginStoreError, PluginStoreSettings, PluginVersion,
    signature_file,
};

const FORMAT: &str = "toy";

/// Records, a data folder, and a program with its plugins.
struct Installation {
    folder: TempDir,
    disk: MemoryDisk,
    mode: StoreMode,
    built_along: Vec<PluginDigest>,
}

/// The digests of called plugins.
#[derive(Debug, Default)]
struct Calls(Mutex<Vec<PluginDigest>>);

impl Installation {
    /// Creates a program with the first build of the toy.
    fn new(mode: StoreMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data", "data-of-another", "program", "offered", "bytes"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let installation = Self {
            folder,
            disk: MemoryDisk::default(),
            mode,
            built_along: Vec::new(),
        };
        installation.ship(0);
        installation
    }

    fn demo() -> Self {
        Self::new(StoreMode::Demo)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Replaces the plugin of the program by another build.
    fn ship(&self, build: u8) {
        fs::write(self.path("program/toy.wasm"), wasm(build)).unwrap();
    }

    /// Writes a build's file that is to be installed.
    fn add_candidate(&self, build: u8) -> PathBuf {
        let path = self.path(&format!("offered/toy-{build}.wasm"));
        fs::write(&path, wasm(build)).unwrap();
        path
    }

    /// Writes a build's file with a signature.
    fn add_signed_candidate(&self, build: u8, publisher: &KeyPair) -> PathBuf {
        let path = self.add_candidate(build);
        let signature = publisher.sign(digest(build).as_bytes()).unwrap();
        let text = serde_json::to_vec(&signature).unwrap();
        fs::write(signature_file(&path), text).unwrap();
        path
    }

    fn component(&self, digest: PluginDigest) -> PathBuf {
        self.path(&format!("data/plugins/components/{digest}.wasm"))
    }

    /// Opens the plugins as the next process on the folder.
    fn plugins(&self) -> PluginStore {
        self.observed(Arc::new(Unobserved))
    }

    fn observed(&self, observer: Arc<dyn CallObserver>) -> PluginStore {
        self.on(self.engine(FaultPlan::default()), observer)
    }

    /// Opens the plugins on an engine that may fail.
    fn on(&self, engine: Arc<FaultyEngine>, observer: Arc<dyn CallObserver>) -> PluginStore {
        let settings = self.settings("data");
        PluginStore::new(&settings, self.records(engine), self.mode, observer)
    }

    /// Opens the records' engine, failing as planned.
    fn engine(&self, faults: FaultPlan) -> Arc<FaultyEngine> {
        let memory = MemoryEngine::open(self.disk.clone(), Arc::new(SystemClock));
        Arc::new(FaultyEngine::new(Arc::new(memory), faults))
    }

    fn records(&self, engine: Arc<FaultyEngine>) -> Records {
        let master = Arc::new(MasterKey::from_bytes([7; 32]));
        let opened = Store::open(engine, &master, self.mode);
        Records::from(Folder {
            store: block_on(opened).unwrap(),
            files: ByteFiles::open_folder(&self.path("bytes")).unwrap(),
            keys: DataKeys::create_folder(&self.path("keys"), master.clone()).unwrap(),
            master,
        })
    }

    /// Deletes all components in the records.
    fn lose_bytes(&self) {
        for entry in fs::read_dir(self.path("bytes")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            }
        }
    }

    fn settings(&self, data: &str) -> PluginStoreSettings {
        PluginStoreSettings {
            data: self.path(data),
            shipped: Some(self.path("program")),
            built_along: self.built_along.clone(),
            compiled: Some(built::compiled_plugins()),
            call_memory_bytes: NonZeroUsize::new(256 * 1024 * 1024).unwrap(),
            call_inflated_bytes: NonZeroUsize::new(512 * 1024 * 1024).unwrap(),
            call_time: Duration::from_secs(10),
            concurrent_calls: NonZeroU32::new(4).unwrap(),
        }
    }

    /// Opens and starts the plugins as a server.
    async fn started(&self) -> PluginStore {
        let plugins = self.plugins();
        plugins.start().await.unwrap();
        plugins
    }

    async fn install(&self, plugins: &PluginStore, build: u8) -> PluginVersion {
        let component = self.add_candidate(build);
        plugins
            .install(&component, InstallTerms::default())
            .await
            .unwrap()
    }

    /// Returns the file of a publisher's key.
    fn key_file(&self, publisher: &KeyPair) -> PathBuf {
        let key = self.path("offered/publisher.pub");
        fs::write(&key, publisher.public().to_pem().unwrap()).unwrap();
        key
    }

    async fn trust(&self, plugins: &PluginStore, publisher: &KeyPair, formats: &[&str]) {
        let key = self.key_file(publisher);
        let formats: Vec<String> = formats.iter().map(|&id| id.to_owned()).collect();
        plugins.trust(&key, &formats).await.unwrap();
    }
}

impl CallObserver for Calls {
    fn ended(&self, call: &EndedCall<'_>) {
        self.0.lock().unwrap().push(call.digest);
    }
}

/// Returns the plugin of a format without documents.
pub(crate) fn toy() -> Bytes {
    built::plugin("test/toy.wasm").into()
}

fn wasm(build: u8) -> Vec<u8> {
    // A custom section of the component: its length, the length of its name,
    // the name, the content.
    let section = [&[0, 6, 4][..], b"made", &[build]].concat();
    [&toy()[..], &section].concat()
}

fn digest(build: u8) -> PluginDigest {
    PluginDigest::of(&wasm(build))
}

/// Returns the build that gets documents.
async fn called(plugins: &PluginStore) -> Option<PluginDigest> {
    let registry = plugins.registry().await.unwrap();
    registry.by_id(FORMAT).map(|plugin| plugin.digest())
}

async fn listed(plugins: &PluginStore, digest: PluginDigest) -> PluginVersion {
    let digest = digest.to_string();
    let mut listed = plugins.list().await.unwrap().into_iter();
    listed.find(|listed| listed.sha256 == digest).unwrap()
}

#[tokio::test]
async fn a_superseded_component_that_is_missing_or_changed_everywhere_stops_nothing() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    for build in [1, 2, 3] {
        installation.install(&plugins, build).await;
    }
    fs::remove_file(installation.component(digest(1))).unwrap();
    fs::write(installation.component(digest(2)), b"changed").unwrap();
    installation.lose_bytes();

    for plugins in [installation.plugins(), installation.started().await] {
        for build in [1, 2] {
            let broken = listed(&plugins, digest(build)).await.broken.unwrap();
            assert!(broken.contains("a byte file failed"), "{broken}");
        }
        assert!(listed(&plugins, digest(3)).await.active);
        assert_eq!(called(&plugins).await, Some(digest(3)));
    }

    let plugins = installation.started().await;
    let back = plugins.rollback(FORMAT, false).await.unwrap();
    assert_eq!(back.sha256, digest(0).to_string(), "past both");
    let warning = back.warning.unwrap();
    assert!(warning.contains("a byte file failed"), "{warning}");
}

#[tokio::test]
async fn a_copy_of_a_component_that_is_missing_or_changed_is_made_anew() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    installation.install(&plugins, 1).await;
    let copy = installation.component(digest(1));
    for damage in [None, Some(b"damaged")] {
        match damage {
            None => fs::remove_file(&copy).unwrap(),
            Some(damage) => fs::write(&copy, damage).unwrap(),
        }

        let plugins = installation.started().await;

        assert_eq!(called(&plugins).await, Some(digest(1)));
        assert_eq!(fs::read(&copy).unwrap(), wasm(1));
    }
}

#[tokio::test]
async fn an_active_component_that_is_missing_takes_its_format_alone_until_it_is_installed_again() {
    let installation = Installation::demo();
    installation.install(&installation.started().await, 1).await;
    fs::remove_file(installation.component(digest(1))).unwrap();
    installation.lose_bytes();

    let plugins = installation.started().await;

    assert_eq!(
        called(&plugins).await,
        None,
        "no other takes its installation"
    );
    let broken = listed(&plugins, digest(1)).await;
    assert!(broken.broken.is_some() && !broken.active, "{broken:?}");
    let faults = plugins.findings().await.unwrap().faults;
    assert!(faults[0].contains("is broken"), "{faults:?}");
    installation.install(&plugins, 1).await;
    assert_eq!(called(&plugins).await, Some(digest(1)));
    assert_eq!(listed(&plugins, digest(1)).await.broken, None);
}

#[tokio::test]
async fn what_is_disabled_is_never_called() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    plugins.disable(FORMAT).await.unwrap();
    installation.install(&plugins, 1).await;
    installation.install(&plugins, 2).await;
    plugins.disable(FORMAT).await.unwrap();

    let calls = Arc::new(Calls::default());
    let plugins = installation.observed(calls.clone());
    plugins.list().await.unwrap();
    assert_eq!(*calls.0.lock().unwrap(), [], "nothing is called for a list");
    plugins.start().await.unwrap();
    plugins.rollback(FORMAT, false).await.unwrap();

    let called: Vec<_> = calls.0.lock().unwrap().clone();
    assert!(called.contains(&digest(1)));
    assert!(!called.contains(&digest(0)) && !called.contains(&digest(2)));
    assert!(listed(&plugins, digest(0)).await.disabled);
}

#[tokio::test]
async fn a_rollback_enables_what_was_disabled_where_no_other_version_can_be_used() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    // The shipped component, installed from a file: the format has a history, but no other version.
    installation.install(&plugins, 0).await;
    plugins.disable(FORMAT).await.unwrap();
    assert_eq!(called(&plugins).await, None);

    let back = plugins.rollback(FORMAT, false).await.unwrap();

    assert_eq!(back.sha256, digest(0).to_string());
    assert!(back.active && !back.disabled);
    assert_eq!(back.warning, None);
    assert_eq!(called(&plugins).await, Some(digest(0)));

    // The same holds if all other versions are disabled.
    plugins.disable(FORMAT).await.unwrap();
    installation.install(&plugins, 1).await;
    plugins.disable(FORMAT).await.unwrap();
    let back = plugins.rollback(FORMAT, false).await.unwrap();
    assert_eq!(back.sha256, digest(1).to_string());
    assert_eq!(called(&plugins).await, Some(digest(1)));
    assert!(listed(&plugins, digest(0)).await.disabled);
}

#[tokio::test]
async fn a_rollback_passes_over_what_is_disabled_and_enables_it_only_when_told_to() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    installation.install(&plugins, 1).await;
    plugins.disable(FORMAT).await.unwrap();
    installation.install(&plugins, 2).await;

    let back = plugins.rollback(FORMAT, false).await.unwrap();

    assert_eq!(back.sha256, digest(0).to_string());
    let warning = back.warning.unwrap();
    assert!(warning.contains(&digest(1).to_string()), "{warning}");
    assert!(listed(&plugins, digest(1)).await.disabled);

    plugins.disable(FORMAT).await.unwrap();
    installation.install(&plugins, 3).await;
    let refused = plugins.rollback(FORMAT, false).await.unwrap_err();
    assert!(matches!(refused, PluginStoreError::NoneUsable { .. }));
    assert!(refused.to_string().contains("--enable"), "{refused}");
    assert_eq!(called(&plugins).await, Some(digest(3)));
    let back = plugins.rollback(FORMAT, true).await.unwrap();
    assert_eq!(back.sha256, digest(0).to_string());
    assert!(back.active);
}

#[tokio::test]
async fn disabling_needs_nothing_that_can_be_called() {
    let installation = Installation::demo();
    installation.install(&installation.started().await, 1).await;
    fs::write(installation.component(digest(1)), b"changed").unwrap();
    fs::remove_file(installation.path("program/toy.wasm")).unwrap();
    let calls = Arc::new(Calls::default());
    let plugins = installation.observed(calls.clone());

    let disabled = plugins.disable(FORMAT).await.unwrap();

    assert!(disabled.disabled && !disabled.active);
    assert_eq!(*calls.0.lock().unwrap(), []);
}

#[tokio::test]
async fn what_came_with_an_earlier_program_stays_callable_by_its_digest() {
    let installation = Installation::demo();
    installation.started().await;
    installation.ship(1);

    let plugins = installation.started().await;

    assert_eq!(called(&plugins).await, Some(digest(1)));
    let registry = plugins.registry().await.unwrap();
    assert!(registry.by_digest(digest(0)).is_ok());
    let all = plugins.list().await.unwrap();
    assert_eq!(all.len(), 1, "it was never installed: {all:?}");
}

#[tokio::test]
async fn where_the_program_s_plugin_is_broken_that_of_an_earlier_program_can_be_gone_back_to() {
    let installation = Installation::demo();
    installation.started().await;
    fs::write(installation.path("program/toy.wasm"), b"no component").unwrap();
    let plugins = installation.started().await;
    assert_eq!(called(&plugins).await, None);

    let back = plugins.rollback(FORMAT, false).await.unwrap();

    assert_eq!(back.sha256, digest(0).to_string());
    assert!(back.active);
    for plugins in [plugins, installation.started().await] {
        assert_eq!(called(&plugins).await, Some(digest(0)));
    }
    let copy = installation.path(&format!("data/shipped-plugins/{}.wasm", digest(0)));
    fs::remove_file(copy).unwrap();
    installation.lose_bytes();
    let broken = listed(&installation.plugins(), digest(0))
        .await
        .broken
        .unwrap();
    assert!(broken.contains("a byte file failed"), "{broken}");
    installation.ship(1);
    let plugins = installation.started().await;
    assert_eq!(
        called(&plugins).await,
        None,
        "no other takes its installation"
    );
    plugins.rollback(FORMAT, false).await.unwrap();
    assert_eq!(called(&plugins).await, Some(digest(1)));
}

#[tokio::test]
async fn a_program_that_is_replaced_under_a_server_takes_nothing_from_it() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    installation.install(&plugins, 1).await;
    installation.ship(2);

    plugins.rollback(FORMAT, false).await.unwrap();

    assert_eq!(called(&plugins).await, Some(digest(0)));
}

#[tokio::test]
async fn a_version_that_was_rolled_back_from_stays_callable_after_a_restart() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    installation.install(&plugins, 1).await;
    plugins.rollback(FORMAT, false).await.unwrap();

    let plugins = installation.started().await;

    assert_eq!(called(&plugins).await, Some(digest(0)));
    let registry = plugins.registry().await.unwrap();
    assert!(registry.by_digest(digest(1)).is_ok());
}

#[tokio::test]
async fn components_that_nothing_names_are_removed() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    for build in 1..=6 {
        installation.install(&plugins, build).await;
    }
    installation.install(&plugins, 7).await;

    for (build, is_kept) in [(1, false), (2, false), (3, true), (7, true)] {
        assert_eq!(
            installation.component(digest(build)).exists(),
            is_kept,
            "{build}"
        );
    }
    assert_eq!(plugins.list().await.unwrap().len(), 6);
    let kept = fs::read_dir(installation.path("bytes")).unwrap();
    let kept = kept.filter(|entry| entry.as_ref().unwrap().path().is_file());
    assert_eq!(kept.count(), 6, "in the records, too");
}

#[tokio::test]
async fn a_pipe_is_no_component() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    let pipe = installation.path("offered/pipe.wasm");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());

    let refused = plugins
        .install(&pipe, InstallTerms::default())
        .await
        .unwrap_err();

    assert!(matches!(refused, PluginStoreError::NoFile(_)), "{refused}");
}
