//! Signatures whose plugin cannot be fetched for a while, on hosts that have
//! not loaded it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use jiff::SignedDuration;
use parafa_ceremony::records::PluginFaults;
use parafa_demo::Service;
use parafa_domain::Phase;
use parafa_plugin_host::{LookupError, Plugin, PluginAway, PluginDigest, PluginSource, Registry};
use parafa_store::{Clock, EngineError, StoreError};
use uuid::Uuid;

use crate::tests::support::{Posted, Site, Stage};

/// Source of plugins that can be unavailable.
struct Distant {
    plugins: Arc<Registry>,
    is_away: AtomicBool,
}

#[async_trait]
impl PluginSource for Distant {
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway> {
        if self.is_away.load(Ordering::Relaxed) {
            let away = EngineError::Unavailable {
                reason: "it is away".into(),
            };
            return Err(PluginAway {
                digest,
                source: StoreError::from(away).into(),
            });
        }
        Ok(self.plugins.by_digest(digest))
    }
}

/// Returns the digest of the plugin that prepared the data that the device
/// signs.
async fn preparer(stage: &Stage<'_>) -> String {
    stage.newest_attempt().await.plugin.unwrap().sha256
}

/// Returns the digest of the plugin that made the newest version.
async fn maker(stage: &Stage<'_>) -> String {
    let signing = stage.signing().await;
    let made_by = signing.newest().unwrap().made_by.clone();
    made_by.unwrap().plugin.sha256
}

#[tokio::test]
async fn a_signature_waits_for_the_plugin_that_prepared_it_while_that_cannot_be_fetched() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, Posted::toy("honest")).await;
    stage.sign_without_timestamps().await;
    let preparer = preparer(&stage).await;
    site.replace_toy(1).await;
    site.faults(Service::Tsa).clear();
    let source = Arc::new(Distant {
        plugins: site.plugins.clone(),
        is_away: AtomicBool::new(true),
    });
    stage.host = stage.host.with_plugin_source(source.clone());

    let back = site.clock.now() + SignedDuration::from_hours(1);
    while site.clock.now() < back {
        stage.host.run_due().await;
        site.pass(SignedDuration::from_secs(5));
    }
    assert_eq!(stage.newest_attempt().await.phase, Phase::Completing);
    source.is_away.store(false, Ordering::Relaxed);
    site.pass(SignedDuration::from_secs(30));
    stage.host.run_all().await;

    assert_eq!(stage.newest_attempt().await.phase, Phase::Done);
    assert_eq!(maker(&stage).await, preparer);
}

/// Plugins that may complete a signature: the one that prepared it, and its
/// replacement.
struct Finishers {
    preparer: String,
    stand_in: String,
}

/// Lets a signature be completed at which plugins fail; `faults` gets the
/// digests of both and the version. Returns the two, and the digest of the one
/// that completed it.
async fn finished_after(
    faults: impl FnOnce(&Finishers, Uuid) -> PluginFaults,
) -> (Finishers, String) {
    let site = Site::start().await;
    let stage = Stage::set(&site, Posted::toy("honest")).await;
    stage.sign_without_timestamps().await;
    let finishers = Finishers {
        preparer: preparer(&stage).await,
        stand_in: site.replace_toy(1).await,
    };
    let mut signing = stage.signing().await;
    let version = signing.newest().unwrap().bytes_id;
    signing.plugin_faults = Some(faults(&finishers, version));
    stage.host.put(&signing).await;
    site.faults(Service::Tsa).clear();

    assert_eq!(stage.outcome().await.phase, Phase::Done);

    (finishers, maker(&stage).await)
}

#[tokio::test]
async fn what_a_stand_in_has_failed_at_is_finished_by_the_plugin_that_prepared_it() {
    let (finishers, finisher) = finished_after(|finishers, version| PluginFaults {
        version,
        plugin_sha256: finishers.stand_in.clone(),
        count: 2,
        by_preparer: false,
    })
    .await;

    assert_eq!(finisher, finishers.preparer);
}

#[tokio::test]
async fn a_stand_in_finishes_what_the_preparer_has_failed_at_under_an_earlier_program() {
    let (finishers, finisher) = finished_after(|finishers, version| {
        let written = serde_json::json!({
            "version": version,
            "plugin_sha256": finishers.preparer,
            "count": 2,
        });
        serde_json::from_value(written).unwrap()
    })
    .await;

    assert_eq!(finisher, finishers.stand_in);
}
