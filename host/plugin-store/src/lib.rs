//! The format plugins of a deployment: those shipped with its programs, and those installed by its
//! operator.
//!
//! The active and earlier versions of each format, disabled versions and trusted publishers are
//! rows; components are byte files. A change is written there first. Then it takes effect at once
//! in the registry of the host that got the command; running calls keep their version. The other
//! hosts poll every second. A change that has begun is completed, even if its caller stops waiting.
//! Each host has a copy in its data folder:
//!
//! ```text
//! plugins/active.json                which version of each format is active, and was before
//! plugins/components/SHA256.wasm     the installed components
//! plugins/components/SHA256.wasm.sig their signatures
//! plugins/trusted/KEY.pub            the keys of publishers that are trusted
//! shipped-plugins/SHA256.wasm        what came with other programs
//! ```

mod catalogue;
mod commands;
mod error;
mod folder;
mod loaded;
pub mod metrics;
mod opening;
mod origin;
mod rows;
mod settings;
mod shared;
mod shipped;
mod state;

#[cfg(test)]
mod tests;
mod trusted;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use parafa_platform::detached::run_detached;
pub use parafa_platform::reasons;
use parafa_platform::{Records, log_failure};
use parafa_plugin_host::{CallObserver, Plugin, PluginHost, Registry, Unobserved};
pub use parafa_publisher::{InvalidKey, KeyPair, PluginSignature, PublisherKey, signature_file};
use parafa_store::StoreMode;
use tokio::sync::OnceCell;

use self::catalogue::Catalogue;
pub use self::catalogue::PluginVersion;
pub use self::commands::InstallTerms;
pub use self::error::PluginStoreError;
use self::folder::PluginFolder;
pub use self::folder::{FORMERLY_BACKED_UP, read_file};
use self::loaded::Loaded;
pub use self::loaded::{plugin_host, self_test};
pub use self::origin::{PluginOrigin, PulledComponent};
pub use self::rows::{PluginComponentRow, PluginFormatRow, PluginPublisherRow, PluginsRow, TABLES};
pub use self::settings::PluginStoreSettings;
use self::shared::SharedPlugins;
pub use self::shipped::NoPlugins;
pub use self::trusted::{DisabledVersion, Trust, Untrust};

/// The interval at which a host polls for changes by others.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const NOT_FOLLOWED: &str = "changes that other hosts make to plugins are not followed";
const NOT_SHARED: &str = "other hosts do not have the plugins of this program yet";

/// The plugins of a deployment on one host. Their state is read at the first use, and components
/// are loaded at the first call.
#[derive(Clone)]
pub struct PluginStore(Arc<Inner>);

struct Inner {
    settings: PluginStoreSettings,
    mode: StoreMode,
    folder: PluginFolder,
    /// `None` if only the folder is read.
    shared: Option<SharedPlugins>,
    observer: Arc<dyn CallObserver>,
    keeps_compiled: bool,
    host: OnceCell<Arc<PluginHost>>,
    catalogue: OnceCell<Catalogue>,
    loaded: OnceCell<Loaded>,
    /// True until the shipped components are in the deployment's records.
    owes_shipped: AtomicBool,
}

/// Findings about the plugins for the operator, before a server starts.
#[derive(Debug, Default)]
pub struct Findings {
    /// Defects that make a format unavailable.
    pub faults: Vec<String>,
    /// Other defects.
    pub warnings: Vec<String>,
}

impl PluginStore {
    /// Returns the plugins of a deployment with these records. `observer` receives every call's
    /// result.
    #[must_use]
    pub fn new(
        settings: &PluginStoreSettings,
        records: Records,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
    ) -> Self {
        Self::with(settings, Some(records), mode, observer, true)
    }

    /// Returns the plugins in the copy of a data folder, for calls without changes.
    #[must_use]
    pub fn of_copy(
        settings: &PluginStoreSettings,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
    ) -> Self {
        Self::with(settings, None, mode, observer, true)
    }

    /// Opens the plugins of a data folder for [`PluginStore::findings`] only, which then changes no
    /// files.
    #[must_use]
    pub fn read_only(settings: &PluginStoreSettings, mode: StoreMode) -> Self {
        Self::with(settings, None, mode, Arc::new(Unobserved), false)
    }

    fn with(
        settings: &PluginStoreSettings,
        records: Option<Records>,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
        keeps_compiled: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            settings: settings.clone(),
            mode,
            folder: PluginFolder::of(&settings.data),
            shared: records.map(SharedPlugins::new),
            observer,
            keeps_compiled,
            host: OnceCell::new(),
            catalogue: OnceCell::new(),
            loaded: OnceCell::new(),
            owes_shipped: AtomicBool::new(false),
        }))
    }

    /// Returns the callable plugins. One that cannot be loaded is left out, logged and listed as
    /// broken; disabled ones are not loaded.
    ///
    /// # Errors
    /// [`NoPlugins`] when there is no plugin at all; when the runtime of plugins cannot start.
    pub async fn registry(&self) -> anyhow::Result<&Arc<Registry>> {
        Ok(&self.0.loaded().await?.registry)
    }

    /// Like [`PluginStore::registry`], for a server. It adds the shipped components to the
    /// deployment's records, so that signatures begun with them can be finished after another
    /// program has replaced this one.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn start(&self) -> anyhow::Result<&Arc<Registry>> {
        let registry = self.registry().await?;
        let outdated = self.0.outdated().await?;
        for warning in self.0.unverified().await?.into_iter().chain(outdated) {
            tracing::warn!("{warning}");
        }
        if let Some(shared) = &self.0.shared {
            self.0.owes_shipped.store(true, Ordering::Relaxed);
            if let Err(error) = self.0.share_shipped(shared).await {
                log_failure(&error, NOT_SHARED);
            }
        }
        Ok(registry)
    }

    /// Follows the changes of other hosts until it is dropped.
    pub async fn follow_changes(&self) {
        let (mut follows, mut shares) = (true, true);
        loop {
            tell_of_change(&mut follows, &self.0.follow().await, NOT_FOLLOWED);
            tell_of_change(&mut shares, &self.share_what_is_owed().await, NOT_SHARED);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Applies the changes of other hosts, and retries adding shipped components that could not be
    /// added at the start.
    ///
    /// # Errors
    /// When the records cannot be read, or written.
    pub async fn follow(&self) -> Result<(), PluginStoreError> {
        self.0.follow().await?;
        self.share_what_is_owed().await
    }

    async fn share_what_is_owed(&self) -> Result<(), PluginStoreError> {
        match &self.0.shared {
            Some(shared) if self.0.owes_shipped.load(Ordering::Relaxed) => {
                self.0.share_shipped(shared).await
            }
            _ => Ok(()),
        }
    }

    /// Returns all findings about the plugins.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn findings(&self) -> anyhow::Result<Findings> {
        let mut findings = self.broken().await?;
        findings.warnings.extend(self.0.unverified().await?);
        findings.warnings.extend(self.0.outdated().await?);
        Ok(findings)
    }

    /// Returns the plugins that this host cannot load: faults if they should be in use, otherwise
    /// warnings.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn broken(&self) -> anyhow::Result<Findings> {
        let catalogue = self.0.catalogue().await?;
        let broken = self.0.loaded().await?.broken();
        let mut findings = Findings::default();
        let state = catalogue.seen();
        for listed in catalogue.list(&state, &broken) {
            let Some(reason) = listed.broken else {
                continue;
            };
            let sentence = format!(
                "the plugin {} {} is broken: {reason}",
                listed.id, listed.sha256
            );
            let active = catalogue
                .active(&state, &listed.id)
                .map(|digest| digest.to_string());
            let is_active = active.is_none_or(|active| active == listed.sha256);
            if is_active && !listed.disabled {
                findings.faults.push(sentence);
            } else {
                findings.warnings.push(sentence);
            }
        }
        let absent = catalogue.absent(&state).map(|(id, digest)| {
            format!(
                "the plugin {id} {digest} came with another version of the program and not with this one: `parafa plugin rollback {id}` activates it here"
            )
        });
        findings.faults.extend(absent);
        Ok(findings)
    }

    /// Returns the file of the active plugin of a format; `None` if the format is unknown, or its
    /// plugin disabled or broken.
    pub async fn component(&self, id: &str) -> anyhow::Result<Option<PathBuf>> {
        let catalogue = self.0.catalogue().await?;
        let state = catalogue.seen();
        let broken = self.0.broken(catalogue, &state).await;
        let active = catalogue.active(&state, id);
        let active = active.filter(|&digest| !state.is_disabled(digest));
        let active = active.filter(|digest| !broken.contains_key(digest));
        let file = active.and_then(|digest| catalogue.component_file(&state, id, digest));
        Ok(file.map(|file| file.path))
    }

    /// Lists all versions of all formats by id, shipped ones first.
    pub async fn list(&self) -> Result<Vec<PluginVersion>, PluginStoreError> {
        self.0.follow().await?;
        let catalogue = self.0.catalogue().await?;
        let state = catalogue.seen();
        let broken = self.0.broken(catalogue, &state).await;
        Ok(catalogue.list(&state, &broken))
    }

    /// Checks that no other format's plugin accepts the same media types or extensions. Without any
    /// plugins, none does.
    ///
    /// # Errors
    /// [`PluginStoreError::Conflict`] names the other; as [`PluginStore::registry`].
    pub async fn check_conflicts(&self, plugin: &Plugin) -> Result<(), PluginStoreError> {
        match self.0.loaded().await {
            Ok(loaded) => Ok(loaded.check(plugin)?),
            Err(error) if error.is::<NoPlugins>() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Installs a component, now and after restarts. One with another publisher than the last, or
    /// with media types or extensions of another plugin, is refused unless the terms allow it.
    pub async fn install(
        &self,
        component: &Path,
        terms: InstallTerms,
    ) -> Result<PluginVersion, PluginStoreError> {
        self.install_pulled(component, None, terms).await
    }

    /// Installs a component from a file into which it was pulled, and which must be unchanged
    /// since. Its origin is kept with the version.
    pub async fn install_pulled(
        &self,
        component: &Path,
        pulled: Option<PulledComponent>,
        terms: InstallTerms,
    ) -> Result<PluginVersion, PluginStoreError> {
        let tested = self.0.test(component, pulled).await?;
        let inner = self.0.clone();
        changed(async move { inner.install(&tested, terms).await }).await
    }

    /// Disables the active version of a format. No other version replaces it; signatures in
    /// progress that it prepared fail.
    pub async fn disable(&self, id: &str) -> Result<PluginVersion, PluginStoreError> {
        let (inner, id) = (self.0.clone(), id.to_owned());
        changed(async move { inner.disable(&id).await }).await
    }

    /// Activates the latest earlier version that can be called. If this program's version is
    /// broken, that may be an earlier program's. If there is only one version, it is enabled.
    /// Disabled versions are skipped, unless they are to be enabled.
    pub async fn rollback(
        &self,
        id: &str,
        enable: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (inner, id) = (self.0.clone(), id.to_owned());
        changed(async move { inner.rollback(&id, enable).await }).await
    }

    /// Trusts the publisher with this key for these formats, or for all if none is named, in
    /// addition to earlier ones.
    pub async fn trust(&self, key: &Path, formats: &[String]) -> Result<Trust, PluginStoreError> {
        let (inner, key, formats) = (self.0.clone(), key.to_owned(), formats.to_vec());
        changed(async move { inner.trust(key, formats).await }).await
    }

    /// Stops trusting a publisher, and disables the versions that it has signed.
    pub async fn untrust(&self, publisher: &str) -> Result<Untrust, PluginStoreError> {
        let (inner, publisher) = (self.0.clone(), publisher.to_owned());
        changed(async move { inner.untrust(publisher).await }).await
    }
}

/// Completes a change even when its command is cancelled. A panic is reported to the operator as
/// any other fault.
async fn changed<T: Send + 'static>(
    change: impl Future<Output = Result<T, PluginStoreError>> + Send + 'static,
) -> Result<T, PluginStoreError> {
    let done = run_detached(change).await;
    done.context("a change of plugins was cut off")?
}

/// Logs a failure, and the next one only after a success.
fn tell_of_change(was_sound: &mut bool, done: &Result<(), PluginStoreError>, what: &str) {
    if let Err(error) = done
        && *was_sound
    {
        log_failure(error, what);
    }
    *was_sound = done.is_ok();
}
