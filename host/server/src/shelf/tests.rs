//! What becomes of the plugins of a folder from one start to the next, whatever
//! happened to their files meanwhile.

mod trust;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use parafa_plugin_host::{CallObserver, EndedCall, PluginDigest, Unobserved};
use parafa_store::StoreMode;
use tempfile::TempDir;

use super::{KeyPair, Listed, Shelf, ShelfError, signature_file};
use crate::config::Config;
use crate::tests::deployment::{TOY, compiled_plugins, component_of};

const FORMAT: &str = "toy";

/// A data folder, and a program with its plugins.
struct Place {
    folder: TempDir,
    mode: StoreMode,
}

/// What was called.
#[derive(Debug, Default)]
struct Calls(Mutex<Vec<PluginDigest>>);

impl Place {
    /// A program that comes with the first build of the toy.
    fn new(mode: StoreMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data", "program", "offered"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let place = Self { folder, mode };
        place.ship(0);
        place
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

    /// The file of a build that somebody wants installed.
    fn offer(&self, build: u8) -> PathBuf {
        let path = self.path(&format!("offered/toy-{build}.wasm"));
        fs::write(&path, wasm(build)).unwrap();
        path
    }

    /// The same, signed.
    fn offer_signed(&self, build: u8, publisher: &KeyPair) -> PathBuf {
        let path = self.offer(build);
        let signature = publisher.sign(digest(build)).unwrap();
        let text = serde_json::to_vec(&signature).unwrap();
        fs::write(signature_file(&path), text).unwrap();
        path
    }

    fn component(&self, digest: PluginDigest) -> PathBuf {
        self.path(&format!("data/plugins/components/{digest}.wasm"))
    }

    fn state(&self) -> PathBuf {
        self.path("data/plugins/active.json")
    }

    /// What the next process on the folder has.
    fn shelf(&self) -> Shelf {
        self.observed(Arc::new(Unobserved))
    }

    fn observed(&self, observer: Arc<dyn CallObserver>) -> Shelf {
        let mut config = Config::default();
        config.store.data = self.path("data");
        config.plugins.folder = Some(self.path("program"));
        config.plugins.cache = Some(compiled_plugins());
        Shelf::new(&config, self.mode, observer)
    }

    /// The same of a server.
    async fn started(&self) -> Shelf {
        let shelf = self.shelf();
        shelf.start().await.unwrap();
        shelf
    }

    async fn install(&self, shelf: &Shelf, build: u8) -> Listed {
        let component = self.offer(build);
        shelf.install(&component, false).await.unwrap()
    }

    /// The file of a publisher's key.
    fn key_file(&self, publisher: &KeyPair) -> PathBuf {
        let key = self.path("offered/publisher.pub");
        fs::write(&key, publisher.public().to_pem().unwrap()).unwrap();
        key
    }

    async fn trust(&self, shelf: &Shelf, publisher: &KeyPair, formats: &[&str]) {
        let key = self.key_file(publisher);
        let formats: Vec<String> = formats.iter().map(|&id| id.to_owned()).collect();
        shelf.trust(&key, &formats).await.unwrap();
    }
}

impl CallObserver for Calls {
    fn ended(&self, call: &EndedCall<'_>) {
        self.0.lock().unwrap().push(call.digest);
    }
}

fn wasm(build: u8) -> Vec<u8> {
    // A custom section of the component: its length, the length of its name,
    // the name, the content.
    let section = [&[0, 6, 4][..], b"made", &[build]].concat();
    [&component_of(TOY)[..], &section].concat()
}

fn digest(build: u8) -> PluginDigest {
    PluginDigest::of(&wasm(build))
}

/// The build that documents are given to.
async fn called(shelf: &Shelf) -> Option<PluginDigest> {
    let registry = shelf.registry().await.unwrap();
    registry.by_id(FORMAT).map(|plugin| plugin.digest())
}

async fn listed(shelf: &Shelf, digest: PluginDigest) -> Listed {
    let digest = digest.to_string();
    let mut listed = shelf.list().await.unwrap().into_iter();
    listed.find(|listed| listed.sha256 == digest).unwrap()
}

#[tokio::test]
async fn a_superseded_component_that_is_missing_or_changed_stops_nothing() {
    let place = Place::demo();
    let shelf = place.started().await;
    for build in [1, 2, 3] {
        place.install(&shelf, build).await;
    }
    fs::remove_file(place.component(digest(1))).unwrap();
    fs::write(place.component(digest(2)), b"changed").unwrap();

    for shelf in [place.shelf(), place.started().await] {
        for (build, why) in [(1, "cannot be read"), (2, "was changed")] {
            let broken = listed(&shelf, digest(build)).await.broken.unwrap();
            assert!(broken.contains(why), "{broken}");
        }
        assert!(listed(&shelf, digest(3)).await.active);
        assert_eq!(called(&shelf).await, Some(digest(3)));
    }

    let shelf = place.started().await;
    let back = shelf.rollback(FORMAT, false).await.unwrap();
    assert_eq!(back.sha256, digest(0).to_string(), "past both");
    let warning = back.warning.unwrap();
    assert!(warning.contains("was changed"), "{warning}");
}

#[tokio::test]
async fn an_active_component_that_is_missing_takes_its_format_alone_until_it_is_installed_again() {
    let place = Place::demo();
    place.install(&place.started().await, 1).await;
    fs::remove_file(place.component(digest(1))).unwrap();

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, None, "no other takes its place");
    let broken = listed(&shelf, digest(1)).await;
    assert!(broken.broken.is_some() && !broken.active, "{broken:?}");
    let faults = shelf.findings().await.unwrap().faults;
    assert!(faults[0].contains("is broken"), "{faults:?}");
    place.install(&shelf, 1).await;
    assert_eq!(called(&shelf).await, Some(digest(1)));
    assert_eq!(listed(&shelf, digest(1)).await.broken, None);
}

#[tokio::test]
async fn what_is_no_longer_admitted_can_be_rolled_back_from() {
    let place = Place::demo();
    place.install(&place.started().await, 1).await;
    let invalid = b"once it was a component";
    let changed = PluginDigest::of(invalid);
    fs::write(place.component(changed), invalid).unwrap();
    let state = fs::read_to_string(place.state()).unwrap();
    let state = state.replace(&digest(1).to_string(), &changed.to_string());
    fs::write(place.state(), state).unwrap();

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, None);
    let broken = listed(&shelf, changed).await.broken.unwrap();
    assert!(broken.contains("is not admitted"), "{broken}");
    shelf.rollback(FORMAT, false).await.unwrap();
    assert_eq!(called(&shelf).await, Some(digest(0)));
}

#[tokio::test]
async fn a_broken_plugin_of_the_program_is_listed_and_an_installed_one_goes_on() {
    let place = Place::demo();
    place.install(&place.started().await, 1).await;
    fs::write(place.path("program/other.wasm"), b"no component").unwrap();

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, Some(digest(1)));
    let all = shelf.list().await.unwrap();
    let other = all.iter().find(|listed| listed.id == "other").unwrap();
    assert!(other.broken.is_some() && !other.active, "{other:?}");
}

#[tokio::test]
async fn what_is_disabled_is_never_called() {
    let place = Place::demo();
    let shelf = place.started().await;
    shelf.disable(FORMAT).await.unwrap();
    place.install(&shelf, 1).await;
    place.install(&shelf, 2).await;
    shelf.disable(FORMAT).await.unwrap();

    let calls = Arc::new(Calls::default());
    let shelf = place.observed(calls.clone());
    shelf.list().await.unwrap();
    assert_eq!(*calls.0.lock().unwrap(), [], "nothing is called for a list");
    shelf.start().await.unwrap();
    shelf.rollback(FORMAT, false).await.unwrap();

    let called: Vec<_> = calls.0.lock().unwrap().clone();
    assert!(called.contains(&digest(1)));
    assert!(!called.contains(&digest(0)) && !called.contains(&digest(2)));
    assert!(listed(&shelf, digest(0)).await.disabled);
}

#[tokio::test]
async fn a_rollback_passes_over_what_is_disabled_and_enables_it_only_when_told_to() {
    let place = Place::demo();
    let shelf = place.started().await;
    place.install(&shelf, 1).await;
    shelf.disable(FORMAT).await.unwrap();
    place.install(&shelf, 2).await;

    let back = shelf.rollback(FORMAT, false).await.unwrap();

    assert_eq!(back.sha256, digest(0).to_string());
    let warning = back.warning.unwrap();
    assert!(warning.contains(&digest(1).to_string()), "{warning}");
    assert!(listed(&shelf, digest(1)).await.disabled);

    shelf.disable(FORMAT).await.unwrap();
    place.install(&shelf, 3).await;
    let refused = shelf.rollback(FORMAT, false).await.unwrap_err();
    assert!(matches!(refused, ShelfError::NoneUsable { .. }));
    assert!(refused.to_string().contains("--enable"), "{refused}");
    assert_eq!(called(&shelf).await, Some(digest(3)));
    let back = shelf.rollback(FORMAT, true).await.unwrap();
    assert_eq!(back.sha256, digest(0).to_string());
    assert!(back.active);
}

#[tokio::test]
async fn disabling_needs_nothing_that_can_be_called() {
    let place = Place::demo();
    place.install(&place.started().await, 1).await;
    fs::write(place.component(digest(1)), b"changed").unwrap();
    fs::remove_file(place.path("program/toy.wasm")).unwrap();
    let calls = Arc::new(Calls::default());
    let shelf = place.observed(calls.clone());

    let disabled = shelf.disable(FORMAT).await.unwrap();

    assert!(disabled.disabled && !disabled.active);
    assert_eq!(*calls.0.lock().unwrap(), []);
}

#[tokio::test]
async fn a_crash_before_the_state_is_written_leaves_what_was() {
    let place = Place::demo();
    let shelf = place.started().await;
    place.install(&shelf, 1).await;
    let state = fs::read(place.state()).unwrap();
    fs::remove_file(place.state()).unwrap();
    fs::create_dir(place.state()).unwrap();

    let failed = shelf.install(&place.offer(2), false).await.unwrap_err();

    assert!(!failed.is_refusal(), "{failed}");
    assert_eq!(
        called(&shelf).await,
        Some(digest(1)),
        "also in the registry"
    );
    assert!(place.component(digest(2)).exists(), "it was kept before");
    fs::remove_dir(place.state()).unwrap();
    fs::write(place.state(), state).unwrap();
    let shelf = place.started().await;
    assert_eq!(called(&shelf).await, Some(digest(1)));
    assert!(!place.component(digest(2)).exists(), "nothing names it");
    place.install(&shelf, 2).await;
    assert_eq!(called(&shelf).await, Some(digest(2)));
}

#[tokio::test]
async fn a_crash_after_the_state_is_written_leaves_what_was_asked_for() {
    let place = Place::demo();
    let crashed = place.started().await;
    let other = place.shelf();
    place.install(&other, 1).await;
    assert_eq!(called(&crashed).await, Some(digest(0)));

    assert_eq!(called(&place.started().await).await, Some(digest(1)));

    place.started().await.disable(FORMAT).await.unwrap();
    assert_eq!(called(&place.started().await).await, None);
}

#[tokio::test]
async fn what_came_with_an_earlier_program_stays_callable_by_its_digest() {
    let place = Place::demo();
    place.started().await;
    place.ship(1);

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, Some(digest(1)));
    let registry = shelf.registry().await.unwrap();
    assert!(registry.by_digest(digest(0)).is_ok());
    let all = shelf.list().await.unwrap();
    assert_eq!(all.len(), 1, "it was never installed: {all:?}");
}

#[tokio::test]
async fn where_the_program_s_plugin_is_broken_that_of_an_earlier_program_can_be_gone_back_to() {
    let place = Place::demo();
    place.started().await;
    fs::write(place.path("program/toy.wasm"), b"no component").unwrap();
    let shelf = place.started().await;
    assert_eq!(called(&shelf).await, None);

    let back = shelf.rollback(FORMAT, false).await.unwrap();

    assert_eq!(back.sha256, digest(0).to_string());
    assert!(back.active);
    for shelf in [shelf, place.started().await] {
        assert_eq!(called(&shelf).await, Some(digest(0)));
    }
    let copy = place.path(&format!("data/shipped-plugins/{}.wasm", digest(0)));
    fs::remove_file(copy).unwrap();
    let broken = listed(&place.shelf(), digest(0)).await.broken.unwrap();
    assert!(broken.contains("was not kept"), "{broken}");
    place.ship(1);
    let shelf = place.started().await;
    assert_eq!(called(&shelf).await, None, "no other takes its place");
    shelf.rollback(FORMAT, false).await.unwrap();
    assert_eq!(called(&shelf).await, Some(digest(1)));
}

#[tokio::test]
async fn a_broken_plugin_of_the_program_is_known_to_whoever_names_it() {
    let place = Place::demo();
    let file = place.path("program/other.wasm");
    fs::write(&file, b"no component").unwrap();
    let shelf = place.started().await;

    let refused = shelf.rollback("other", false).await.unwrap_err();
    assert!(refused.to_string().contains("is broken"), "{refused}");
    let disabled = shelf.disable("other").await.unwrap();
    assert!(disabled.disabled && disabled.broken.is_some());
    let again = shelf.disable("other").await.unwrap_err();
    assert!(matches!(again, ShelfError::DisabledAlready(_)), "{again}");
    let faults = place.started().await.findings().await.unwrap().faults;
    assert_eq!(faults, [""; 0], "the format is meant to be out of use");

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let shelf = place.started().await;
    let refused = shelf.disable("other").await.unwrap_err();
    assert!(refused.to_string().contains("is not a file"), "{refused}");
}

#[tokio::test]
async fn a_program_that_is_replaced_under_a_server_takes_nothing_from_it() {
    let place = Place::demo();
    let shelf = place.started().await;
    place.install(&shelf, 1).await;
    place.ship(2);

    shelf.rollback(FORMAT, false).await.unwrap();

    assert_eq!(called(&shelf).await, Some(digest(0)));
}

#[tokio::test]
async fn a_damaged_copy_of_what_the_program_comes_with_is_made_anew() {
    let place = Place::demo();
    place.started().await;
    let copy = place.path(&format!("data/shipped-plugins/{}.wasm", digest(0)));
    fs::write(&copy, b"damaged").unwrap();

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, Some(digest(0)));
    assert_eq!(fs::read(&copy).unwrap(), wasm(0));
}

#[tokio::test]
async fn a_version_that_was_rolled_back_from_stays_callable_after_a_restart() {
    let place = Place::demo();
    let shelf = place.started().await;
    place.install(&shelf, 1).await;
    shelf.rollback(FORMAT, false).await.unwrap();

    let shelf = place.started().await;

    assert_eq!(called(&shelf).await, Some(digest(0)));
    let registry = shelf.registry().await.unwrap();
    assert!(registry.by_digest(digest(1)).is_ok());
}

#[tokio::test]
async fn components_that_nothing_names_are_removed_but_not_during_a_backup() {
    let place = Place::demo();
    let shelf = place.started().await;
    let kept = shelf.keep_components().await;
    for build in 1..=6 {
        place.install(&shelf, build).await;
    }
    assert!(place.component(digest(1)).exists());
    drop(kept);

    place.install(&shelf, 7).await;

    for (build, is_kept) in [(1, false), (2, false), (3, true), (7, true)] {
        assert_eq!(place.component(digest(build)).exists(), is_kept, "{build}");
    }
    assert_eq!(shelf.list().await.unwrap().len(), 6);
}

#[tokio::test]
async fn a_pipe_is_no_component() {
    let place = Place::demo();
    let shelf = place.started().await;
    let pipe = place.path("offered/pipe.wasm");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());

    let refused = shelf.install(&pipe, false).await.unwrap_err();

    assert!(matches!(refused, ShelfError::NoFile(_)), "{refused}");
}
