//! Required signers of components, at the installation and afterwards.

use std::path::Path;
use std::{fs, slice};

use futures::future::join_all;
use parafa_store::StoreMode;

use super::{FORMAT, Installation, called, digest};
use crate::{InstallTerms, KeyPair, PluginStore, PluginStoreError, signature_file};

/// Allows a component of another publisher than the last.
const REPLACES: InstallTerms = InstallTerms {
    replace_publisher: true,
    prefer: false,
};

#[tokio::test]
async fn a_publisher_is_trusted_for_the_formats_that_were_named() {
    let installation = Installation::new(StoreMode::Production);
    let plugins = installation.started().await;
    let publisher = KeyPair::generate().unwrap();
    installation
        .trust(&plugins, &publisher, &["saskaita"])
        .await;
    let component = installation.add_signed_candidate(1, &publisher);

    let refused = plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap_err();

    assert!(refused.to_string().contains("but not for toy"), "{refused}");
    installation.trust(&plugins, &publisher, &[FORMAT]).await;
    let installed = plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    assert_eq!(
        installed.publisher.as_deref(),
        Some(publisher.public().name())
    );
}

#[tokio::test]
async fn another_publisher_takes_a_plugin_over_only_when_that_is_said() {
    let installation = Installation::new(StoreMode::Production);
    let plugins = installation.started().await;
    let [first, second] = [(); 2].map(|()| KeyPair::generate().unwrap());
    for publisher in [&first, &second] {
        installation.trust(&plugins, publisher, &[]).await;
    }
    let component = installation.add_signed_candidate(1, &first);
    plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    plugins.rollback(FORMAT, false).await.unwrap();
    let component = installation.add_signed_candidate(2, &second);

    let refused = plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap_err();

    assert!(
        matches!(refused, PluginStoreError::OtherPublisher { .. }),
        "{refused}"
    );
    plugins.install(&component, REPLACES).await.unwrap();
    let component = installation.add_signed_candidate(3, &second);
    plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    assert_eq!(called(&plugins).await, Some(digest(3)));
}

#[tokio::test]
async fn what_a_publisher_has_signed_is_disabled_with_the_trust_in_it() {
    let (installation, plugins, publisher) = with_a_publisher().await;
    let component = installation.add_signed_candidate(1, &publisher);
    plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    let name = publisher.public().name();

    let untrusted = plugins.untrust(name).await.unwrap();

    assert_eq!(untrusted.disabled[0].sha256, digest(1).to_string());
    assert_eq!(called(&plugins).await, None);
    let refused = plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap_err();
    assert!(matches!(
        refused,
        PluginStoreError::UntrustedPublisher { .. }
    ));
    let again = plugins.untrust(name).await.unwrap_err();
    assert!(matches!(again, PluginStoreError::UnknownPublisher(_)));
    plugins.rollback(FORMAT, false).await.unwrap();
    assert_eq!(called(&plugins).await, Some(digest(0)));
}

#[tokio::test]
async fn a_component_whose_publisher_lost_its_trust_meanwhile_is_not_installed() {
    let (installation, plugins, publisher) = with_a_publisher().await;
    let component = installation.add_signed_candidate(1, &publisher);
    let tested = plugins.0.test(&component, None).await.unwrap();
    plugins.untrust(publisher.public().name()).await.unwrap();

    let refused = plugins
        .0
        .install(&tested, InstallTerms::default())
        .await
        .unwrap_err();

    assert!(
        matches!(refused, PluginStoreError::UntrustedPublisher { .. }),
        "{refused}"
    );
    assert_eq!(called(&plugins).await, Some(digest(0)));
}

#[tokio::test]
async fn what_is_trusted_for_by_commands_at_once_adds_up() {
    let installation = Installation::new(StoreMode::Production);
    let (plugins, publisher) = (installation.plugins(), KeyPair::generate().unwrap());
    let key = installation.key_file(&publisher);
    let formats: Vec<String> = (0..16)
        .map(|number| format!("format-{number:02}"))
        .collect();

    let ids = formats.iter().map(slice::from_ref);
    for trusted in join_all(ids.map(|id| plugins.trust(&key, id))).await {
        trusted.unwrap();
    }

    let again = plugins.trust(&key, &formats[..1]).await.unwrap();
    assert_eq!(again.formats, Some(formats));
}

#[tokio::test]
async fn trust_that_is_withdrawn_while_it_is_widened_is_not_there_again() {
    let installation = Installation::new(StoreMode::Production);
    let plugins = installation.started().await;
    for _ in 0..16 {
        let publisher = KeyPair::generate().unwrap();
        let key = installation.key_file(&publisher);
        let [before, more, later] = ["before", "more", "later"].map(|id| [id.to_owned()]);
        plugins.trust(&key, &before).await.unwrap();

        let widened = plugins.trust(&key, &more);
        let withdrawn = plugins.untrust(publisher.public().name());
        let (widened, withdrawn) = tokio::join!(widened, withdrawn);

        widened.unwrap();
        withdrawn.unwrap();
        let left = plugins.trust(&key, &later).await.unwrap().formats.unwrap();
        assert!(!left.contains(&before[0]), "{left:?}");
    }
}

#[tokio::test]
async fn the_demo_takes_no_bad_signature() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    let publisher = KeyPair::generate().unwrap();
    installation.trust(&plugins, &publisher, &[]).await;
    let signed = installation.add_signed_candidate(1, &publisher);
    let other = installation.add_candidate(2);
    fs::copy(signature_file(&signed), signature_file(&other)).unwrap();

    let refused = plugins
        .install(&other, InstallTerms::default())
        .await
        .unwrap_err();

    assert!(
        matches!(refused, PluginStoreError::BadSignature { .. }),
        "{refused}"
    );
    assert_eq!(called(&plugins).await, Some(digest(0)));
}

#[tokio::test]
async fn outside_the_demo_an_unknown_plugin_of_the_program_is_told_of() {
    let warnings = async |installation: &Installation| {
        installation.plugins().findings().await.unwrap().warnings
    };
    let installation = Installation::new(StoreMode::Production);
    let unverified = warnings(&installation).await;
    assert!(
        unverified[0].contains("not built with it"),
        "{unverified:?}"
    );

    let publisher = KeyPair::generate().unwrap();
    installation
        .trust(&installation.plugins(), &publisher, &[FORMAT])
        .await;
    let signed = installation.add_signed_candidate(0, &publisher);
    let beside = signature_file(Path::new("program/toy.wasm"));
    fs::copy(
        signature_file(&signed),
        installation.path(beside.to_str().unwrap()),
    )
    .unwrap();

    assert_eq!(warnings(&installation).await, [""; 0]);
    assert_eq!(warnings(&Installation::demo()).await, [""; 0]);
}

#[tokio::test]
async fn a_plugin_that_was_built_along_with_the_program_is_known() {
    let warnings = async |built: u8| {
        let installation = Installation {
            built_along: vec![digest(built)],
            ..Installation::new(StoreMode::Production)
        };
        installation.plugins().findings().await.unwrap().warnings
    };

    assert_eq!(warnings(0).await, [""; 0]);
    let of_another = warnings(1).await;
    assert!(
        of_another[0].contains("not built with it"),
        "{of_another:?}"
    );
}

/// Creates plugins outside the demo that trust a publisher for every format.
async fn with_a_publisher() -> (Installation, PluginStore, KeyPair) {
    let installation = Installation::new(StoreMode::Production);
    let plugins = installation.started().await;
    let publisher = KeyPair::generate().unwrap();
    installation.trust(&plugins, &publisher, &[]).await;
    (installation, plugins, publisher)
}
