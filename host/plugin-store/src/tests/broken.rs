//! Shipped components that cannot be loaded.

use std::fs;

use super::{Installation, called, digest};
use crate::PluginStoreError;

#[tokio::test]
async fn a_broken_plugin_of_the_program_is_known_to_whoever_names_it() {
    let installation = Installation::demo();
    let file = installation.path("program/other.wasm");
    fs::write(&file, b"no component").unwrap();
    let plugins = installation.started().await;

    let refused = plugins.rollback("other", false).await.unwrap_err();
    assert!(refused.to_string().contains("is broken"), "{refused}");
    let disabled = plugins.disable("other").await.unwrap();
    assert!(disabled.disabled && disabled.broken.is_some());
    let again = plugins.disable("other").await.unwrap_err();
    assert!(
        matches!(again, PluginStoreError::DisabledAlready(_)),
        "{again}"
    );
    let faults = installation
        .started()
        .await
        .findings()
        .await
        .unwrap()
        .faults;
    assert_eq!(faults, [""; 0], "the format is meant to be out of use");

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let plugins = installation.started().await;
    let refused = plugins.disable("other").await.unwrap_err();
    assert!(refused.to_string().contains("is not a file"), "{refused}");
}

#[tokio::test]
async fn a_broken_plugin_of_the_program_is_listed_and_an_installed_one_goes_on() {
    let installation = Installation::demo();
    installation.install(&installation.started().await, 1).await;
    fs::write(installation.path("program/other.wasm"), b"no component").unwrap();

    let plugins = installation.started().await;

    assert_eq!(called(&plugins).await, Some(digest(1)));
    let all = plugins.list().await.unwrap();
    let other = all.iter().find(|listed| listed.id == "other").unwrap();
    assert!(other.broken.is_some() && !other.active, "{other:?}");
}

#[tokio::test]
async fn a_format_whose_plugin_is_gone_from_the_program_is_named_with_what_there_was() {
    let installation = Installation::demo();
    installation.started().await;
    fs::remove_file(installation.path("program/toy.wasm")).unwrap();
    fs::write(installation.path("program/other.wasm"), b"no component").unwrap();
    let plugins = installation.started().await;
    let of_toy = async || {
        let mut faults = plugins.broken().await.unwrap().faults;
        faults.retain(|fault| fault.contains(&format!("the plugin toy {}", digest(0))));
        faults.len()
    };

    assert_eq!(called(&plugins).await, None);
    assert_eq!(of_toy().await, 1);
    plugins.rollback("toy", false).await.unwrap();
    assert_eq!(of_toy().await, 0);
    assert_eq!(called(&plugins).await, Some(digest(0)));
}
