//! The format plugins of a host: those that came with it, and those that its
//! operator has installed into the data folder.
//!
//! ```text
//! plugins/active.json                which version of each format is active, and was before
//! plugins/components/SHA256.wasm     the installed components
//! plugins/components/SHA256.wasm.sig their signatures
//! plugins/trusted/KEY.pub            the keys of publishers that are trusted
//! shipped-plugins/SHA256.wasm        what came with this program and with earlier ones
//! ```
//! A change is written there first and then made in the registry, where it
//! takes effect at once: calls that run keep the version they have. A change
//! that has begun is made to its end, whether or not somebody waits for it.

mod catalogue;
mod commands;
mod error;
mod folder;
mod loaded;
pub mod metrics;
mod opening;
mod publisher;
mod shipped;
mod state;
#[cfg(test)]
mod tests;
mod trusted;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parafa_platform::detached::run_detached;
use parafa_plugin_host::{CallObserver, Plugin, PluginDigest, PluginHost, Registry, Unobserved};
use parafa_store::StoreMode;
use tokio::sync::{Mutex, OnceCell, RwLock, RwLockReadGuard};

use self::catalogue::Catalogue;
pub use self::catalogue::PluginVersion;
pub use self::commands::{DisabledVersion, Trust, Untrust};
pub use self::error::PluginStoreError;
use self::folder::PluginFolder;
pub use self::folder::{BACKED_UP, read_file};
use self::loaded::Loaded;
pub use self::loaded::{plugin_host, self_test};
pub use self::publisher::{InvalidKey, KeyPair, PluginSignature, PublisherKey, signature_file};
pub use self::shipped::NoPlugins;

/// The plugins of a data folder. What there is is read when it is first asked
/// for, and loaded when it is first called.
#[derive(Clone)]
pub struct PluginStore(Arc<Inner>);

struct Inner {
    settings: PluginStoreSettings,
    mode: StoreMode,
    folder: PluginFolder,
    observer: Arc<dyn CallObserver>,
    keeps_compiled: bool,
    host: OnceCell<Arc<PluginHost>>,
    catalogue: OnceCell<Catalogue>,
    loaded: OnceCell<Loaded>,
    /// Components are removed only by who has it alone.
    components: RwLock<()>,
    /// Whoever changes who is trusted holds it: what a publisher is trusted for
    /// is read first. Taken after the state of the catalogue, where both are.
    trust: Mutex<()>,
}

/// Where plugins are kept and what a call of one may take.
#[derive(Clone, Debug)]
pub struct PluginStoreSettings {
    /// The data folder.
    pub data: PathBuf,
    /// Folder of the components that came with the program; without it, `plugins` beside the
    /// program or one folder up.
    pub shipped: Option<PathBuf>,
    /// Which components were built along with the program; none where it was built without
    /// being told.
    pub built_along: Vec<PluginDigest>,
    /// Folder of compiled plugins; without it, one in the data folder.
    pub compiled: Option<PathBuf>,
    /// Memory of one call, in bytes.
    pub call_memory_bytes: NonZeroUsize,
    /// What the host inflates for one call, in bytes.
    pub call_inflated_bytes: NonZeroUsize,
    /// Time of one call.
    pub call_time: Duration,
    /// Calls at the same time.
    pub concurrent_calls: NonZeroU32,
}

/// What an operator should know about the plugins before a server starts.
#[derive(Debug, Default)]
pub struct Findings {
    /// What keeps a format from being taken.
    pub faults: Vec<String>,
    /// What does not.
    pub warnings: Vec<String>,
}

impl PluginStore {
    /// The plugins of a data folder. `observer` is told of every call.
    #[must_use]
    pub fn new(
        settings: &PluginStoreSettings,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
    ) -> Self {
        Self::with(settings, mode, observer, true)
    }

    /// The same for [`PluginStore::findings`] alone, which then change and make nothing.
    #[must_use]
    pub fn read_only(settings: &PluginStoreSettings, mode: StoreMode) -> Self {
        Self::with(settings, mode, Arc::new(Unobserved), false)
    }

    fn with(
        settings: &PluginStoreSettings,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
        keeps_compiled: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            settings: settings.clone(),
            mode,
            folder: PluginFolder::of(&settings.data),
            observer,
            keeps_compiled,
            host: OnceCell::new(),
            catalogue: OnceCell::new(),
            loaded: OnceCell::new(),
            components: RwLock::new(()),
            trust: Mutex::new(()),
        }))
    }

    /// The plugins that can be called. One that cannot be loaded is not among
    /// them, and is logged and listed as broken; a disabled one is not looked
    /// at.
    ///
    /// # Errors
    /// [`NoPlugins`] when there is no plugin at all; when there is nothing that
    /// plugins run in.
    pub async fn registry(&self) -> anyhow::Result<&Arc<Registry>> {
        Ok(&self.0.loaded().await?.registry)
    }

    /// The same for a server: keeps what came with this program, to finish with
    /// it what it has begun when another program runs on the folder, and
    /// removes components that nothing names.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn start(&self) -> anyhow::Result<&Arc<Registry>> {
        let registry = self.registry().await?;
        for warning in self.0.unverified().await? {
            tracing::warn!("{warning}");
        }
        if let Err(error) = self.0.keep_shipped().await {
            tracing::error!(
                error = format!("{error:#}"),
                "the plugins of this program are not kept for the next"
            );
        }
        Ok(registry)
    }

    /// What is wrong with the plugins.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn findings(&self) -> anyhow::Result<Findings> {
        let catalogue = self.0.catalogue().await?;
        let broken = self.0.loaded().await?.broken();
        let state = catalogue.state.lock().await;
        let mut findings = Findings {
            warnings: self.0.unverified().await?,
            ..Findings::default()
        };
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
        Ok(findings)
    }

    /// The file of the active plugin of a format; none when there is no such
    /// format, or when it is disabled or broken.
    pub async fn component(&self, id: &str) -> anyhow::Result<Option<PathBuf>> {
        let catalogue = self.0.catalogue().await?;
        let state = catalogue.state.lock().await;
        let broken = self.0.broken(catalogue, &state).await?;
        let active = catalogue.active(&state, id);
        let active = active.filter(|&digest| !state.is_disabled(digest));
        let active = active.filter(|digest| !broken.contains_key(digest));
        let file = active.and_then(|digest| catalogue.component_file(&state, id, digest));
        Ok(file.map(|file| file.path))
    }

    /// All versions of all formats by id, those that came with this program
    /// first.
    pub async fn list(&self) -> Result<Vec<PluginVersion>, PluginStoreError> {
        let catalogue = self.0.catalogue().await?;
        let state = catalogue.state.lock().await.clone();
        let broken = self.0.broken(catalogue, &state).await?;
        Ok(catalogue.list(&state, &broken))
    }

    /// Whether no other format has what this plugin takes. Where there is no
    /// plugin at all, none has.
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

    /// Takes a component into use, now and after a restart. One of another
    /// publisher than the last is refused unless that is to be replaced.
    pub async fn install(
        &self,
        component: &Path,
        replace_publisher: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let tested = self.0.test(component).await?;
        let inner = self.0.clone();
        changed(async move { inner.install(tested, replace_publisher).await }).await
    }

    /// Takes the active version of a format out of use. Nothing takes its
    /// place; signatures in the making that it prepared fail.
    pub async fn disable(&self, id: &str) -> Result<PluginVersion, PluginStoreError> {
        let (inner, id) = (self.0.clone(), id.to_owned());
        changed(async move { inner.disable(&id).await }).await
    }

    /// Makes the latest version active that was before and can be called, or one
    /// of an earlier program where this one's is broken, or enables the only one
    /// there is. Disabled ones are passed over, unless they are to be enabled.
    pub async fn rollback(
        &self,
        id: &str,
        enable: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (inner, id) = (self.0.clone(), id.to_owned());
        changed(async move { inner.rollback(&id, enable).await }).await
    }

    /// Trusts the publisher with this key for these formats, or for all where
    /// none is named, beside those that it is trusted for already.
    pub async fn trust(&self, key: &Path, formats: &[String]) -> Result<Trust, PluginStoreError> {
        let (inner, key, formats) = (self.0.clone(), key.to_owned(), formats.to_vec());
        changed(async move { inner.trust(key, formats).await }).await
    }

    /// Trusts a publisher no more, and disables what it has signed.
    pub async fn untrust(&self, publisher: &str) -> Result<Untrust, PluginStoreError> {
        let (inner, publisher) = (self.0.clone(), publisher.to_owned());
        changed(async move { inner.untrust(publisher).await }).await
    }

    /// No component is removed as long as somebody has what this gives.
    pub async fn keep_components(&self) -> RwLockReadGuard<'_, ()> {
        self.0.components.read().await
    }
}

/// Work on files, which may take its time, on a thread for such work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.context("work on plugins was cut off")
}

/// A change that is made to its end also when its command is stopped. The
/// operator is told of a panic as of any other fault.
async fn changed<T: Send + 'static>(
    change: impl Future<Output = Result<T, PluginStoreError>> + Send + 'static,
) -> Result<T, PluginStoreError> {
    let done = run_detached(change).await;
    done.context("a change of plugins was cut off")?
}
