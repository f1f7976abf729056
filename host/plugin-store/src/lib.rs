//! The format plugins of a deployment: those that came with its programs, and
//! those that its operator has installed.
//!
//! Which version of each format is active and was before, which are disabled and
//! who is trusted are rows; components are byte files. A change is made there
//! first and then in the registry of the host that was told to, where it takes
//! effect at once: calls that run keep the version they have. The other hosts
//! look every second. A change that has begun is made to its end, whether or not
//! somebody waits for it. Each host has a copy in its data folder:
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
mod publisher;
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
use parafa_platform::{Records, log_failure};
use parafa_plugin_host::{CallObserver, Plugin, PluginHost, Registry, Unobserved};
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
pub use self::publisher::{InvalidKey, KeyPair, PluginSignature, PublisherKey, signature_file};
pub use self::rows::{PluginComponentRow, PluginFormatRow, PluginPublisherRow, PluginsRow, TABLES};
pub use self::settings::PluginStoreSettings;
use self::shared::SharedPlugins;
pub use self::shipped::NoPlugins;
pub use self::trusted::{DisabledVersion, Trust, Untrust};

/// How often a host looks whether another one has changed something.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const NOT_FOLLOWED: &str = "what other hosts change of plugins is not followed";
const NOT_SHARED: &str = "other hosts do not have the plugins of this program yet";

/// The plugins of a deployment, as one host has them. What there is is read when
/// it is first asked for, and loaded when it is first called.
#[derive(Clone)]
pub struct PluginStore(Arc<Inner>);

struct Inner {
    settings: PluginStoreSettings,
    mode: StoreMode,
    folder: PluginFolder,
    /// None where only the folder is looked at.
    shared: Option<SharedPlugins>,
    observer: Arc<dyn CallObserver>,
    keeps_compiled: bool,
    host: OnceCell<Arc<PluginHost>>,
    catalogue: OnceCell<Catalogue>,
    loaded: OnceCell<Loaded>,
    /// Whether what came with this program is still to be made known to all hosts.
    owes_shipped: AtomicBool,
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
    /// The plugins of a deployment with these records. `observer` is told of every call.
    #[must_use]
    pub fn new(
        settings: &PluginStoreSettings,
        records: Records,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
    ) -> Self {
        Self::with(settings, Some(records), mode, observer, true)
    }

    /// Those that the copy in a data folder tells of, to be called and not changed.
    #[must_use]
    pub fn of_copy(
        settings: &PluginStoreSettings,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
    ) -> Self {
        Self::with(settings, None, mode, observer, true)
    }

    /// The same for [`PluginStore::findings`] alone, which then change and make nothing.
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

    /// The same for a server: has all hosts keep what came with this program, to finish with it
    /// what it has begun when another program runs.
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

    /// Follows what other hosts change, for as long as this is awaited.
    pub async fn follow_changes(&self) {
        let (mut follows, mut shares) = (true, true);
        loop {
            tell_of_change(&mut follows, &self.0.follow().await, NOT_FOLLOWED);
            tell_of_change(&mut shares, &self.share_what_is_owed().await, NOT_SHARED);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Takes over what other hosts have changed, and lets them have what could not be
    /// shared with them at the start.
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

    /// What is wrong with the plugins.
    ///
    /// # Errors
    /// As [`PluginStore::registry`].
    pub async fn findings(&self) -> anyhow::Result<Findings> {
        let mut findings = self.broken().await?;
        findings.warnings.extend(self.0.unverified().await?);
        findings.warnings.extend(self.0.outdated().await?);
        Ok(findings)
    }

    /// What of the plugins this host cannot load: faults where it was to be in use.
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
                "the plugin {id} {digest} came with another program and is not among those of this one: `parafa plugin rollback {id}` takes it into use here"
            )
        });
        findings.faults.extend(absent);
        Ok(findings)
    }

    /// The file of the active plugin of a format; none when there is no such
    /// format, or when it is disabled or broken.
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

    /// All versions of all formats by id, those that came with this program
    /// first.
    pub async fn list(&self) -> Result<Vec<PluginVersion>, PluginStoreError> {
        self.0.follow().await?;
        let catalogue = self.0.catalogue().await?;
        let state = catalogue.seen();
        let broken = self.0.broken(catalogue, &state).await;
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
    /// publisher than the last, and one that takes what another plugin takes, are
    /// refused unless the terms allow it.
    pub async fn install(
        &self,
        component: &Path,
        terms: InstallTerms,
    ) -> Result<PluginVersion, PluginStoreError> {
        self.install_pulled(component, None, terms).await
    }

    /// The same of a component that was pulled into a file, which must still be
    /// what it was then. Where it comes from is kept with the version.
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
}

/// A change that is made to its end also when its command is stopped. The
/// operator is told of a panic as of any other fault.
async fn changed<T: Send + 'static>(
    change: impl Future<Output = Result<T, PluginStoreError>> + Send + 'static,
) -> Result<T, PluginStoreError> {
    let done = run_detached(change).await;
    done.context("a change of plugins was cut off")?
}

/// Logs that something fails from now on; the next time once it has succeeded in between.
fn tell_of_change(was_sound: &mut bool, done: &Result<(), PluginStoreError>, what: &str) {
    if let Err(error) = done
        && *was_sound
    {
        log_failure(error, what);
    }
    *was_sound = done.is_ok();
}
