use std::sync::Arc;

use parafa_fixtures::component::least;
use parafa_plugin_host::{CallLimits, InstallError, LookupError, Plugin, PluginDigest, Registry};

use crate::support::{component, host, toy, toy_document};

#[tokio::test]
async fn a_plugin_is_found_by_everything_that_names_it() {
    let toy = toy().await;
    let registry = Registry::default();
    registry.install(toy.clone()).unwrap();

    assert!(registry.by_id("toy").is_some());
    assert!(registry.by_media_type("Application/X-Toy").is_some());
    assert!(registry.by_extension("TOY").is_some());
    assert!(registry.by_digest(toy.digest()).is_ok());
    assert!(registry.by_extension("pdf").is_none());
    assert_eq!(registry.active().len(), 1);
}

#[tokio::test]
async fn a_new_version_takes_over_while_the_old_one_stays_callable() {
    let old = toy().await;
    let new = other_build().await;
    let registry = Registry::default();
    registry.install(old.clone()).unwrap();

    registry.install(new.clone()).unwrap();

    assert_ne!(old.digest(), new.digest());
    assert_eq!(registry.by_id("toy").unwrap().digest(), new.digest());
    let pinned = registry.by_digest(old.digest()).unwrap();
    assert!(pinned.inspect(toy_document("honest")).await.is_ok());
}

#[tokio::test]
async fn a_disabled_digest_is_found_by_nothing() {
    let old = toy().await;
    let new = other_build().await;
    let registry = Registry::default();
    registry.install(old.clone()).unwrap();
    registry.install(new.clone()).unwrap();

    registry.disable(new.digest());

    assert!(
        registry.by_id("toy").is_none(),
        "the older version does not take its place"
    );
    assert_eq!(
        registry.by_digest(new.digest()).unwrap_err(),
        LookupError::Disabled(new.digest())
    );
    assert_eq!(
        registry.install(new.clone()),
        Err(InstallError::Disabled(new.digest()))
    );
    registry.enable(new.digest());
    assert_eq!(registry.by_id("toy").unwrap().digest(), new.digest());
}

#[tokio::test]
async fn a_registry_is_incomplete_while_an_installed_format_has_no_active_plugin() {
    let plugin = toy().await;
    let registry = Registry::default();
    registry.note_installed("toy");
    assert!(!registry.is_complete(), "not loaded yet");
    registry.install(plugin.clone()).unwrap();
    assert!(registry.is_complete());
    assert!(!registry.is_out_of_use("TOY"));

    registry.disable(plugin.digest());

    assert!(!registry.is_complete());
    assert!(registry.is_out_of_use("TOY"));
    assert!(!registry.is_out_of_use("pdf"));
}

#[tokio::test]
async fn a_version_that_is_only_kept_is_active_for_nobody() {
    let old = toy().await;
    let registry = Registry::default();

    registry.keep(old.clone());

    assert!(registry.by_id("toy").is_none());
    assert!(registry.active().is_empty());
    assert!(registry.by_digest(old.digest()).is_ok());
    registry.install(old.clone()).unwrap();
    registry.keep(old.clone());
    assert_eq!(registry.by_id("toy").unwrap().digest(), old.digest());
}

#[tokio::test]
async fn a_version_that_is_no_longer_the_active_one_stays_callable() {
    let plugin = toy().await;
    let registry = Registry::default();
    registry.install(plugin.clone()).unwrap();

    registry.deactivate_others("toy", Some(plugin.digest()));
    assert!(registry.by_id("toy").is_some());
    registry.deactivate_others("toy", None);

    assert!(registry.by_id("toy").is_none());
    assert!(registry.by_digest(plugin.digest()).is_ok());
}

#[tokio::test]
async fn a_digest_that_was_never_installed_is_unknown() {
    let digest: PluginDigest = "00".repeat(32).parse().unwrap();

    assert_eq!(
        Registry::default().by_digest(digest).unwrap_err(),
        LookupError::Unknown(digest)
    );
}

#[tokio::test]
async fn of_two_plugins_of_one_media_type_the_one_is_given_its_documents_that_is_said() {
    const MEDIA_TYPE: &str = "application/x-least";
    const NAME: &[u8] = b"least0.1.0";
    let host = host(CallLimits::default());
    let mut renamed = least();
    let place = renamed.windows(NAME.len()).position(|part| part == NAME);
    let place = place.unwrap();
    renamed[place..place + 5].copy_from_slice(b"other");
    let least = host.admit(least().into()).await.unwrap();
    let other = host.admit(renamed.into()).await.unwrap();
    let registry = Registry::default();
    let given = || registry.by_media_type(MEDIA_TYPE);
    registry.install(least.clone()).unwrap();
    assert_eq!(
        registry.install(other.clone()),
        Err(InstallError::Taken {
            kind: "media type",
            value: MEDIA_TYPE.to_owned(),
            owner: "least".to_owned(),
        })
    );

    let shared = registry.shared_with_others(&other);
    assert_eq!(shared, [MEDIA_TYPE.to_owned()].into());
    let owners = shared.into_iter().map(|name| (name, "other".to_owned()));
    registry.set_owners(owners.collect());
    registry.install(other.clone()).unwrap();

    assert_eq!(given().unwrap().id(), "other");
    assert_eq!(registry.by_extension("least").unwrap().id(), "least");
    registry.disable(other.digest());
    assert!(given().is_none(), "the other does not take its place");

    let restarted = Registry::default();
    let owners = [(MEDIA_TYPE.to_owned(), "other".to_owned())];
    restarted.set_owners(owners.into());
    restarted.install(least.clone()).unwrap();
    let shared = restarted.shared_with_others(&least);
    assert_eq!(
        shared,
        [MEDIA_TYPE.to_owned()].into(),
        "its owner need not be loaded"
    );
}

/// Returns the plugin with another digest: it has an additional custom section.
async fn other_build() -> Arc<Plugin> {
    let wasm = [&component("test/toy.wasm")[..], b"\x00\x05\x04note"].concat();
    let host = host(CallLimits::default());
    host.admit(wasm.into()).await.unwrap()
}
