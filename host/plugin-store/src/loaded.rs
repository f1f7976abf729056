//! The plugins that can be called.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use parafa_conformance::Verdict;
use parafa_platform::{is_away, reasons};
use parafa_plugin_host::{
    CallObserver, InstallError, Plugin, PluginDigest, PluginHost, PluginHostConfig, Registry,
};

use crate::PluginStoreSettings;
use crate::catalogue::{Broken, Catalogue};
use crate::error::PluginStoreError;
use crate::state::State;

/// Most failed checks in a refusal.
const NAMED_FAILURES: usize = 3;
/// The time limit of all checks of a component to be installed; the operator waits for them.
const SELF_TEST_WITHIN: Duration = Duration::from_secs(30);

/// Starts the runtime of plugins, with their limits. If allowed, compiled code is kept for the next
/// start; otherwise no files are written.
pub fn plugin_host(
    settings: &PluginStoreSettings,
    observer: Arc<dyn CallObserver>,
    keeps_compiled: bool,
) -> anyhow::Result<Arc<PluginHost>> {
    let mut host_config = PluginHostConfig::new(settings.compiled_folder());
    host_config.limits.memory_bytes = settings.call_memory_bytes.get();
    host_config.limits.inflated_bytes = settings.call_inflated_bytes.get() as u64;
    host_config.limits.wall = settings.call_time;
    host_config.observer = observer;
    host_config.keep_compiled = keeps_compiled;
    host_config.max_concurrent = settings.concurrent_calls;
    Ok(Arc::new(PluginHost::new(host_config)?))
}

/// Admitted plugins.
pub(crate) struct Loaded {
    pub(crate) host: Arc<PluginHost>,
    pub(crate) registry: Arc<Registry>,
    /// Versions that could not be loaded, with the reason.
    broken: Mutex<Broken>,
    /// True if reading failed for a reason that may be temporary.
    is_incomplete: AtomicBool,
}

impl Loaded {
    /// Loads all versions that a server keeps, except disabled ones. Those that cannot be loaded
    /// are reported, and do not stop the others.
    pub(crate) async fn load(host: Arc<PluginHost>, catalogue: &Catalogue, state: &State) -> Self {
        let loaded = Self {
            host,
            registry: Arc::default(),
            broken: Mutex::new(BTreeMap::new()),
            is_incomplete: AtomicBool::new(false),
        };
        loaded.follow(catalogue, state).await;
        loaded
    }

    /// Loads the versions of this state that are not loaded yet, and activates its active ones.
    pub(crate) async fn follow(&self, catalogue: &Catalogue, state: &State) {
        self.is_incomplete.store(false, Ordering::Relaxed);
        let named = state.components();
        self.lock_broken()
            .retain(|digest, _| named.contains(digest));
        self.registry.disable_only(state.disabled().collect());
        self.registry.set_owners(state.owners.clone());
        // Formats whose active version was installed keep their media types when the program ships
        // another plugin for them.
        let ids: BTreeSet<_> = state
            .ids()
            .map(|id| (state.active(id).is_none(), id))
            .collect();
        for (_, id) in ids {
            self.follow_format(catalogue, state, id).await;
        }
    }

    /// Returns true if [`Loaded::follow`] may load more now, with the same state.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_incomplete.load(Ordering::Relaxed)
    }

    async fn follow_format(&self, catalogue: &Catalogue, state: &State, id: &str) {
        self.registry.note_installed(id);
        let superseded = state.superseded(id, catalogue.shipped_digest(id));
        let mut at_hand = Vec::new();
        for digest in superseded.filter(|&digest| !state.is_disabled(digest)) {
            match self.plugin(catalogue, state, id, digest).await {
                Ok(plugin) => at_hand.push(plugin),
                Err(PluginStoreError::NotKept(_)) => {}
                Err(error) => {
                    let reason = self.note_broken(digest, &error);
                    tracing::warn!(plugin.id = id, plugin.digest = %digest, reason, "a superseded plugin cannot be loaded");
                }
            }
        }
        let active = catalogue.active(state, id);
        if let Some(digest) = active.filter(|&digest| !state.is_disabled(digest)) {
            match self.activate(catalogue, state, id, digest).await {
                Ok(true) => {
                    tracing::info!(plugin.id = id, plugin.digest = %digest, "plugin loaded");
                }
                Ok(false) => {}
                Err(error) => {
                    let reason = self.note_broken(digest, &error);
                    tracing::error!(plugin.id = id, plugin.digest = %digest, reason, "the active plugin cannot be loaded: this host refuses its format until a working version is installed");
                }
            }
        }
        // No other version replaces one that is disabled or cannot be loaded.
        self.registry.deactivate_others(id, active);
        for plugin in at_hand.into_iter().rev() {
            self.registry.keep(plugin);
        }
    }

    /// Activates a version; returns true if it was not active before.
    async fn activate(
        &self,
        catalogue: &Catalogue,
        state: &State,
        id: &str,
        digest: PluginDigest,
    ) -> Result<bool, PluginStoreError> {
        let active = self.registry.by_id(id);
        if active.is_some_and(|plugin| plugin.digest() == digest) {
            return Ok(false);
        }
        let plugin = self.plugin(catalogue, state, id, digest).await?;
        self.registry.install(plugin)?;
        Ok(true)
    }

    /// Returns a loaded version, or admits it.
    async fn plugin(
        &self,
        catalogue: &Catalogue,
        state: &State,
        id: &str,
        digest: PluginDigest,
    ) -> Result<Arc<Plugin>, PluginStoreError> {
        let plugin = match self.registry.by_digest(digest) {
            Ok(plugin) => plugin,
            Err(_) => self.admit(catalogue, state, id, digest).await?,
        };
        self.lock_broken().remove(&digest);
        Ok(plugin)
    }

    /// Keeps a version with which a signature was begun.
    pub(crate) async fn keep(
        &self,
        catalogue: &Catalogue,
        state: &State,
        digest: PluginDigest,
    ) -> Result<(), PluginStoreError> {
        let known = |id: &&str| state.version(id, digest).is_some();
        if let Some(id) = state.ids().find(known) {
            self.registry
                .keep(self.admit(catalogue, state, id, digest).await?);
        }
        Ok(())
    }

    /// Admits a version from its stored component.
    pub(crate) async fn admit(
        &self,
        catalogue: &Catalogue,
        state: &State,
        id: &str,
        digest: PluginDigest,
    ) -> Result<Arc<Plugin>, PluginStoreError> {
        let (path, wasm) = catalogue.component(state, id, digest).await?;
        let admitted = self.host.admit(wasm).await;
        let plugin = admitted.map_err(|source| PluginStoreError::NotAdmitted {
            path: path.clone(),
            source: Box::new(source),
        })?;
        if plugin.id() == id {
            Ok(plugin)
        } else {
            Err(PluginStoreError::OtherFormat {
                path,
                id: id.to_owned(),
                is: plugin.id().to_owned(),
            })
        }
    }

    /// Checks that the registry would accept a plugin, which is enabled with it.
    pub(crate) fn check(&self, plugin: &Plugin) -> Result<(), InstallError> {
        match self.registry.check(plugin) {
            Err(InstallError::Disabled(_)) => Ok(()),
            checked => checked,
        }
    }

    /// Enables a checked plugin.
    pub(crate) fn enable(&self, plugin: Arc<Plugin>) -> Result<(), InstallError> {
        let digest = plugin.digest();
        self.registry.enable(digest);
        self.registry.install(plugin)?;
        self.lock_broken().remove(&digest);
        Ok(())
    }

    pub(crate) fn broken(&self) -> Broken {
        self.lock_broken().clone()
    }

    fn note_broken(&self, digest: PluginDigest, error: &PluginStoreError) -> String {
        if is_away(error) {
            self.is_incomplete.store(true, Ordering::Relaxed);
        }
        let reason = reasons(error);
        self.lock_broken().insert(digest, reason.clone());
        reason
    }

    // Poisoning is ignored: no code panics while it holds the lock.
    fn lock_broken(&self) -> MutexGuard<'_, Broken> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Admits a component that is to be installed.
pub(crate) async fn admit_new(
    host: &Arc<PluginHost>,
    path: &Path,
    wasm: Bytes,
) -> Result<Arc<Plugin>, PluginStoreError> {
    let admitted = host.admit(wasm).await;
    let plugin = admitted.map_err(|source| PluginStoreError::NotAdmitted {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    self_test(&plugin).await?;
    Ok(plugin)
}

/// Runs the checks for a plugin's capabilities.
///
/// # Errors
/// [`PluginStoreError::FailsSelfTest`] or [`PluginStoreError::SlowSelfTest`]; a fault when the
/// checks cannot run.
pub async fn self_test(plugin: &Plugin) -> Result<(), PluginStoreError> {
    self_test_within(plugin, SELF_TEST_WITHIN).await
}

/// Runs the checks with a time limit. A call running at that time continues to its own end.
async fn self_test_within(plugin: &Plugin, within: Duration) -> Result<(), PluginStoreError> {
    let played = tokio::time::timeout(within, parafa_conformance::run_quick(plugin)).await;
    let played = played.map_err(|_| PluginStoreError::SlowSelfTest {
        seconds: within.as_secs(),
    })?;
    let scorecard = played.map_err(|error| PluginStoreError::Fault(error.into()))?;
    if scorecard.failed == 0 {
        return Ok(());
    }
    let failed = scorecard
        .cases
        .iter()
        .filter(|case| case.outcome == Verdict::Failed);
    let named: Vec<String> = failed
        .take(NAMED_FAILURES)
        .map(|case| match &case.detail {
            Some(detail) => format!("{} ({detail})", case.name),
            None => case.name.clone(),
        })
        .collect();
    Err(PluginStoreError::FailsSelfTest {
        failed: scorecard.failed,
        named: named.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use parafa_fixtures::built;

    use super::*;
    use crate::tests::toy;

    #[tokio::test]
    async fn a_plugin_that_is_not_through_with_its_checks_in_time_is_refused() {
        let host = PluginHost::new(PluginHostConfig::new(built::compiled_plugins()));
        let plugin = Arc::new(host.unwrap()).admit(toy()).await;
        let plugin = plugin.unwrap();

        let in_time = self_test(&plugin).await;
        let late = self_test_within(&plugin, Duration::ZERO).await.unwrap_err();

        in_time.unwrap();
        assert!(late.is_refusal());
        assert!(late.to_string().contains("within 0 seconds"), "{late}");
    }
}
