//! What is left of an installation when the records fail in it, and of a program's plugin when its
//! copy is damaged.

use std::fs;
use std::sync::Arc;

use parafa_plugin_host::Unobserved;
use parafa_store::faulty::{CrashPoint, FaultPlan};

use super::{Installation, called, digest, listed};

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
            let failed = plugins.install(&component, false).await;
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
