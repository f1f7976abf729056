//! Installations whose commit fails or is refused, and shipped plugins whose copy is damaged.

use std::fs;
use std::sync::Arc;

use parafa_fixtures::built;
use parafa_plugin_host::Unobserved;
use parafa_store::StoreMode;
use parafa_store::faulty::{CrashPoint, FaultPlan};

use super::{Installation, called, digest, listed};
use crate::{InstallTerms, KeyPair};

/// Returns true if compiled code of a build exists.
fn is_compiled(build: u8) -> bool {
    let begins = digest(build).to_string();
    let mut kept = fs::read_dir(built::compiled_plugins()).unwrap().flatten();
    kept.any(|file| file.file_name().to_string_lossy().starts_with(&begins))
}

#[tokio::test]
async fn an_installation_whose_commit_fails_is_done_or_not_and_can_be_done_again() {
    let sound = Installation::demo();
    sound.started().await;
    let engine = sound.engine(FaultPlan::default());
    let plugins = sound.on(engine.clone(), Arc::new(Unobserved));
    plugins.start().await.unwrap();
    let begun = engine.commits();
    sound.install(&plugins, 1).await;
    let commits = begun..engine.commits();
    assert!(!commits.is_empty());

    let mut found = Vec::new();
    for commit in commits {
        for point in [CrashPoint::BeforeCommit, CrashPoint::BeforeAcknowledgement] {
            let installation = Installation::demo();
            installation.started().await;
            let engine = installation.engine(FaultPlan {
                crash: Some((commit, point)),
                ..FaultPlan::default()
            });
            let plugins = installation.on(engine, Arc::new(Unobserved));
            plugins.start().await.unwrap();
            let component = installation.add_candidate(1);
            let failed = plugins.install(&component, InstallTerms::default()).await;
            assert!(failed.is_err(), "{point:?} of {commit}");

            let plugins = installation.started().await;

            found.push(called(&plugins).await);
            installation.install(&plugins, 1).await;
            assert_eq!(called(&plugins).await, Some(digest(1)));
            assert!(listed(&plugins, digest(1)).await.active);
        }
    }
    found.dedup();
    assert_eq!(
        found,
        [Some(digest(0)), Some(digest(1))],
        "nothing by halves"
    );
}

#[tokio::test]
async fn a_damaged_copy_of_what_came_with_an_earlier_program_takes_nothing_from_it() {
    let installation = Installation::demo();
    installation.started().await;
    installation.ship(1);
    installation.started().await;
    let copy = installation.path(&format!("data/shipped-plugins/{}.wasm", digest(0)));
    assert!(copy.exists());
    fs::write(&copy, b"damaged").unwrap();

    let plugins = installation.started().await;

    let registry = plugins.registry().await.unwrap();
    assert!(registry.by_digest(digest(0)).is_ok());
    assert_ne!(fs::read(&copy).ok(), Some(b"damaged".to_vec()));
}

#[tokio::test]
async fn nothing_is_left_of_a_component_that_is_refused() {
    // All tests share compiled plugins: no other test has these builds.
    let (first, of_another, of_another_format) = (200, 201, 202);
    let installation = Installation::new(StoreMode::Production);
    let plugins = installation.started().await;
    let [known, other, restricted] = [(); 3].map(|()| KeyPair::generate().unwrap());
    installation.trust(&plugins, &known, &[]).await;
    installation.trust(&plugins, &other, &[]).await;
    installation.trust(&plugins, &restricted, &["other"]).await;
    let component = installation.add_signed_candidate(first, &known);
    plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    let kept =
        || ["bytes", "keys"].map(|name| fs::read_dir(installation.path(name)).unwrap().count());
    let before = kept();

    for (build, publisher) in [(of_another, &other), (of_another_format, &restricted)] {
        let component = installation.add_signed_candidate(build, publisher);
        let refused = plugins
            .install(&component, InstallTerms::default())
            .await
            .unwrap_err();

        assert!(refused.is_refusal(), "{refused}");
        assert!(!is_compiled(build), "{refused}");
        assert_eq!(kept(), before, "{refused}");
    }
    assert!(is_compiled(first));
}
