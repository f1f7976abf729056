//! Several hosts with the same records, each with a data folder of its own.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use parafa_platform::is_away;
use parafa_plugin_host::{LookupError, PluginSource, Unobserved};
use parafa_store::faulty::FaultPlan;
use parafa_store::{FaultyEngine, StoreMode};

use super::{FORMAT, Installation, called, digest, wasm};
use crate::{InstallTerms, KeyPair, PluginStore};

impl Installation {
    /// Starts a second host.
    async fn another(&self) -> PluginStore {
        let (plugins, _) = self.other_host();
        plugins.start().await.unwrap();
        plugins
    }

    /// Creates a second host, not started, with the engine of its records.
    fn other_host(&self) -> (PluginStore, Arc<FaultyEngine>) {
        let engine = self.engine(FaultPlan::default());
        let settings = self.settings("data-of-another");
        let records = self.records(engine.clone());
        let plugins = PluginStore::new(&settings, records, self.mode, Arc::new(Unobserved));
        (plugins, engine)
    }
}

#[tokio::test]
async fn what_one_host_installs_disables_and_rolls_back_the_other_follows_within_five_seconds() {
    let installation = Installation::demo();
    let (one, other) = (installation.started().await, installation.another().await);
    let looking = other.clone();
    let looks = tokio::spawn(async move { looking.follow_changes().await });

    installation.install(&one, 1).await;
    becomes(&other, Some(1)).await;
    one.disable(FORMAT).await.unwrap();
    becomes(&other, None).await;
    one.rollback(FORMAT, false).await.unwrap();
    becomes(&other, Some(0)).await;

    looks.abort();
    assert_eq!(called(&installation.another().await).await, Some(digest(0)));
}

#[tokio::test]
async fn what_was_begun_on_one_host_is_finished_with_the_same_plugin_on_the_other() {
    let installation = Installation::demo();
    let (one, other) = (installation.started().await, installation.another().await);

    installation.install(&one, 1).await;

    assert_eq!(
        called(&other).await,
        Some(digest(0)),
        "it has not looked yet"
    );
    let begun = other.plugin(digest(1)).await.unwrap().unwrap();
    assert_eq!(begun.digest(), digest(1));
    let before = one.plugin(digest(0)).await.unwrap().unwrap();
    assert_eq!(before.digest(), digest(0));
    one.disable(FORMAT).await.unwrap();
    other.follow().await.unwrap();
    let refused = other.plugin(digest(1)).await.unwrap();
    assert_eq!(refused.unwrap_err(), LookupError::Disabled(digest(1)));
}

#[tokio::test]
async fn a_plugin_that_cannot_be_fetched_now_is_told_from_one_that_is_nowhere() {
    let installation = Installation::demo();
    let one = installation.started().await;
    let (other, engine) = installation.other_host();
    other.start().await.unwrap();
    installation.install(&one, 1).await;

    engine.set_away(true);
    let away = other.plugin(digest(1)).await.unwrap_err();
    assert_eq!(away.digest, digest(1));
    assert!(is_away(&away));
    let at_hand = other.plugin(digest(0)).await.unwrap();
    assert_eq!(at_hand.unwrap().digest(), digest(0));

    engine.set_away(false);
    let unknown = other.plugin(digest(9)).await.unwrap();
    assert_eq!(unknown.unwrap_err(), LookupError::Unknown(digest(9)));
    let back = other.plugin(digest(1)).await.unwrap();
    assert_eq!(back.unwrap().digest(), digest(1));
}

#[tokio::test]
async fn what_a_program_brings_while_the_records_are_away_is_shared_once_they_are_back() {
    let installation = Installation::demo();
    let one = installation.started().await;
    installation.ship(1);
    let (other, engine) = installation.other_host();
    other.registry().await.unwrap();

    engine.set_away(true);
    other.start().await.unwrap();
    assert!(other.follow().await.is_err());
    engine.set_away(false);
    other.follow().await.unwrap();

    let begun = one.plugin(digest(1)).await.unwrap();
    assert_eq!(begun.unwrap().digest(), digest(1));
}

#[tokio::test]
async fn whoever_asks_what_is_broken_does_not_wait_for_a_change_that_is_followed() {
    let installation = Installation::demo();
    let plugins = installation.started().await;
    installation.install(&plugins, 1).await;
    let catalogue = plugins.0.catalogue().await.unwrap();
    let _following = catalogue.state.lock().await;

    let findings = plugins.broken().now_or_never();

    assert!(findings.unwrap().unwrap().faults.is_empty());
    let component = plugins.component(FORMAT).now_or_never();
    let component = component.unwrap().unwrap();
    assert_eq!(component, Some(installation.component(digest(1))));
}

#[tokio::test]
async fn hosts_of_two_programs_each_give_documents_to_their_own_and_finish_what_the_other_began() {
    let installation = Installation::demo();
    let old = installation.started().await;
    installation.ship(1);
    let new = installation.another().await;

    for _ in 0..2 {
        old.follow().await.unwrap();
        new.follow().await.unwrap();
        assert_eq!(called(&old).await, Some(digest(0)));
        assert_eq!(called(&new).await, Some(digest(1)));
    }
    for build in [0, 1] {
        let found = old.plugin(digest(build)).await.unwrap();
        assert_eq!(found.unwrap().digest(), digest(build));
        let found = new.plugin(digest(build)).await.unwrap();
        assert_eq!(found.unwrap().digest(), digest(build));
    }
    installation.install(&old, 2).await;
    new.follow().await.unwrap();
    assert_eq!(
        called(&new).await,
        Some(digest(2)),
        "what is installed is so on all"
    );
}

#[tokio::test]
async fn what_a_host_cannot_load_no_earlier_version_stands_in_for_there() {
    let installation = Installation::demo();
    let (one, other) = (installation.started().await, installation.another().await);
    installation.install(&one, 1).await;
    installation.lose_bytes();

    other.follow().await.unwrap();

    assert_eq!(called(&other).await, None);
    assert_eq!(called(&one).await, Some(digest(1)));
    let faults = other.broken().await.unwrap().faults;
    assert!(faults[0].contains(&digest(1).to_string()), "{faults:?}");
    let begun = other.plugin(digest(0)).await.unwrap();
    assert!(begun.is_ok(), "what was begun with it is finished");
}

#[tokio::test]
async fn what_is_disabled_before_another_host_has_loaded_it_no_earlier_version_stands_in_for() {
    let installation = Installation::demo();
    let (one, other) = (installation.started().await, installation.another().await);
    installation.install(&one, 1).await;
    one.disable(FORMAT).await.unwrap();

    other.follow().await.unwrap();

    assert_eq!(called(&other).await, None);
}

#[tokio::test]
async fn trust_in_a_publisher_is_given_and_withdrawn_on_all_hosts() {
    let installation = Installation::new(StoreMode::Production);
    let (one, other) = (installation.started().await, installation.another().await);
    let publisher = KeyPair::generate().unwrap();
    installation.trust(&one, &publisher, &[]).await;
    let component = installation.add_signed_candidate(1, &publisher);

    other
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    one.untrust(publisher.public().name()).await.unwrap();

    other.follow().await.unwrap();
    assert_eq!(called(&other).await, None);
    let refused = other
        .install(&component, InstallTerms::default())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("is not trusted"), "{refused}");
}

#[tokio::test]
async fn the_folder_of_an_earlier_program_is_taken_over_once() {
    let installation = Installation::new(StoreMode::Production);
    let publisher = KeyPair::generate().unwrap();
    let plugins = installation.started().await;
    installation.trust(&plugins, &publisher, &[]).await;
    let component = installation.add_signed_candidate(1, &publisher);
    plugins
        .install(&component, InstallTerms::default())
        .await
        .unwrap();
    // The copy is that of an earlier program, which had no number of changes.
    let state = installation.path("data/plugins/active.json");
    let mut text: serde_json::Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    text.as_object_mut().unwrap().remove("generation");
    fs::write(&state, text.to_string()).unwrap();
    let earlier = Installation {
        disk: parafa_store::memory::MemoryDisk::default(),
        ..installation
    };
    earlier.lose_bytes();

    assert_eq!(called(&earlier.started().await).await, Some(digest(1)));

    fs::remove_dir_all(earlier.path("data/plugins")).unwrap();
    let other = earlier.another().await;
    assert_eq!(called(&other).await, Some(digest(1)));
    assert_eq!(called(&earlier.started().await).await, Some(digest(1)));
    assert_eq!(fs::read(earlier.component(digest(1))).unwrap(), wasm(1));
    other.untrust(publisher.public().name()).await.unwrap();
    assert_eq!(called(&earlier.started().await).await, None);
}

/// Waits until this build, or none, gets documents.
async fn becomes(plugins: &PluginStore, build: Option<u8>) {
    let expected = build.map(digest);
    let followed = tokio::time::timeout(Duration::from_secs(5), async {
        while called(plugins).await != expected {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    followed.await.expect("it is followed");
}
