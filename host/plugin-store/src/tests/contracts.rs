//! Plugins of several versions of the contract, and of one media type.

use std::fs;

use parafa_fixtures::{built, component};

use super::Installation;
use crate::{InstallTerms, PluginStoreError};

#[tokio::test]
async fn the_list_tells_which_contract_a_plugin_is_written_against() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    let before = installation.path("offered/before.wasm");
    fs::write(&before, built::plugin("test/toy-0-2.wasm")).unwrap();

    let terms = InstallTerms::default();
    plugins.install(&before, terms).await.unwrap();

    let listed = plugins.list().await.unwrap();
    let contracts = listed.iter().map(|one| (&*one.id, &*one.contract));
    assert_eq!(
        Vec::from_iter(contracts),
        [("toy", "1.0.0"), ("toy-0-2", "0.2.0")]
    );
}

#[tokio::test]
async fn what_two_plugins_take_is_given_to_the_one_that_was_preferred_after_a_restart_too() {
    const MEDIA_TYPE: &str = "application/x-least";
    const NAME: &[u8] = b"least0.1.0";
    let installation = Installation::demo();
    let plugins = installation.started().await;
    let [least, other] = ["least", "other"].map(|id| {
        let mut wasm = component::least();
        let place = wasm.windows(NAME.len()).position(|part| part == NAME);
        let place = place.unwrap();
        wasm[place..place + id.len()].copy_from_slice(id.as_bytes());
        let path = installation.path(&format!("offered/{id}.wasm"));
        fs::write(&path, wasm).unwrap();
        path
    });
    let usual = InstallTerms::default();
    plugins.install(&least, usual).await.unwrap();
    let refused = plugins.install(&other, usual).await.unwrap_err();
    assert!(
        matches!(refused, PluginStoreError::Conflict(_)),
        "{refused}"
    );

    let preferred = InstallTerms {
        prefer: true,
        ..usual
    };
    plugins.install(&other, preferred).await.unwrap();

    for plugins in [plugins, installation.started().await] {
        let registry = plugins.registry().await.unwrap();
        let given = registry.by_media_type(MEDIA_TYPE).unwrap();
        assert_eq!(given.id(), "other");
        assert!(registry.by_id("least").is_some());
    }

    let plugins = installation.started().await;
    plugins.disable("other").await.unwrap();
    let later = installation.started().await;
    for plugins in [&plugins, &later] {
        let registry = plugins.registry().await.unwrap();
        let given = registry.by_media_type(MEDIA_TYPE);
        assert!(given.is_none(), "the other does not take its place");
        assert!(registry.by_id("least").is_some());
    }
    later.install(&least, preferred).await.unwrap();
    for plugins in [later, installation.started().await] {
        let registry = plugins.registry().await.unwrap();
        let given = registry.by_media_type(MEDIA_TYPE).unwrap();
        assert_eq!(given.id(), "least");
    }
}
