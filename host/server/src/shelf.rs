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

mod commands;
mod error;
mod folder;
mod loaded;
mod opening;
mod publisher;
mod shipped;
mod state;
mod stock;
#[cfg(test)]
mod tests;
mod trusted;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parafa_plugin_host::{CallObserver, Plugin, PluginHost, Registry, Unobserved};
use parafa_store::StoreMode;
use tokio::sync::{Mutex, OnceCell, RwLock, RwLockReadGuard};

pub(crate) use self::commands::{Trust, Untrust};
pub(crate) use self::error::ShelfError;
use self::folder::PluginFolder;
pub(crate) use self::folder::{BACKED_UP, read_file};
use self::loaded::Loaded;
pub(crate) use self::loaded::{plugin_host, self_test};
pub(crate) use self::publisher::{KeyPair, PublisherKey, signature_file};
pub(crate) use self::shipped::NoPlugins;
pub(crate) use self::stock::Listed;
use self::stock::Stock;
use crate::config::Config;
use crate::unattended::to_its_end;

/// The plugins of a data folder. What there is is read when it is first asked
/// for, and loaded when it is first called.
#[derive(Clone)]
pub(crate) struct Shelf(Arc<Inner>);

struct Inner {
    config: Config,
    mode: StoreMode,
    folder: PluginFolder,
    observer: Arc<dyn CallObserver>,
    keeps_compiled: bool,
    host: OnceCell<Arc<PluginHost>>,
    stock: OnceCell<Stock>,
    loaded: OnceCell<Loaded>,
    /// Components are removed only by who has it alone.
    components: RwLock<()>,
    /// Whoever changes who is trusted holds it: what a publisher is trusted for
    /// is read first. Taken after the state of the stock, where both are.
    trust: Mutex<()>,
}

/// What an operator should know about the plugins before a server starts.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What keeps a format from being taken.
    pub(crate) faults: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Shelf {
    pub(crate) fn new(config: &Config, mode: StoreMode, observer: Arc<dyn CallObserver>) -> Self {
        Self::with(config, mode, observer, true)
    }

    /// The same for [`Shelf::findings`] alone, which then change and make nothing.
    pub(crate) fn looked_at(config: &Config, mode: StoreMode) -> Self {
        Self::with(config, mode, Arc::new(Unobserved), false)
    }

    fn with(
        config: &Config,
        mode: StoreMode,
        observer: Arc<dyn CallObserver>,
        keeps_compiled: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            config: config.clone(),
            mode,
            folder: PluginFolder::of(config),
            observer,
            keeps_compiled,
            host: OnceCell::new(),
            stock: OnceCell::new(),
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
    pub(crate) async fn registry(&self) -> anyhow::Result<&Arc<Registry>> {
        Ok(&self.0.loaded().await?.registry)
    }

    /// The same for a server: keeps what came with this program, to finish with
    /// it what it has begun when another program runs on the folder, and
    /// removes components that nothing names.
    ///
    /// # Errors
    /// As [`Shelf::registry`].
    pub(crate) async fn start(&self) -> anyhow::Result<&Arc<Registry>> {
        let registry = self.registry().await?;
        for warning in self.0.unvouched().await? {
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
    /// As [`Shelf::registry`].
    pub(crate) async fn findings(&self) -> anyhow::Result<Findings> {
        let stock = self.0.stock().await?;
        let broken = self.0.loaded().await?.broken();
        let state = stock.state.lock().await;
        let mut findings = Findings {
            warnings: self.0.unvouched().await?,
            ..Findings::default()
        };
        for listed in stock.list(&state, &broken) {
            let Some(reason) = listed.broken else {
                continue;
            };
            let sentence = format!(
                "the plugin {} {} is broken: {reason}",
                listed.id, listed.sha256
            );
            let active = stock
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
    pub(crate) async fn component(&self, id: &str) -> anyhow::Result<Option<PathBuf>> {
        let stock = self.0.stock().await?;
        let state = stock.state.lock().await;
        let broken = self.0.broken(stock, &state).await?;
        let active = stock.active(&state, id);
        let active = active.filter(|&digest| !state.is_disabled(digest));
        let active = active.filter(|digest| !broken.contains_key(digest));
        let place = active.and_then(|digest| stock.place(&state, id, digest));
        Ok(place.map(|place| place.path))
    }

    /// All versions of all formats by id, those that came with this program
    /// first.
    pub(crate) async fn list(&self) -> Result<Vec<Listed>, ShelfError> {
        let stock = self.0.stock().await?;
        let state = stock.state.lock().await.clone();
        let broken = self.0.broken(stock, &state).await?;
        Ok(stock.list(&state, &broken))
    }

    /// Whether no other format has what this plugin takes. Where there is no
    /// plugin at all, none has.
    ///
    /// # Errors
    /// [`ShelfError::Conflict`] names the other; as [`Shelf::registry`].
    pub(crate) async fn check_conflicts(&self, plugin: &Plugin) -> Result<(), ShelfError> {
        match self.0.loaded().await {
            Ok(loaded) => Ok(loaded.check(plugin)?),
            Err(error) if error.is::<NoPlugins>() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a component into use, now and after a restart. One of another
    /// publisher than the last is refused unless that is to be replaced.
    pub(crate) async fn install(
        &self,
        component: &Path,
        replace_publisher: bool,
    ) -> Result<Listed, ShelfError> {
        let tested = self.0.test(component).await?;
        let shelf = self.0.clone();
        changed(async move { shelf.install(tested, replace_publisher).await }).await
    }

    /// Takes the active version of a format out of use. Nothing takes its
    /// place; signatures in the making that it prepared fail.
    pub(crate) async fn disable(&self, id: &str) -> Result<Listed, ShelfError> {
        let (shelf, id) = (self.0.clone(), id.to_owned());
        changed(async move { shelf.disable(&id).await }).await
    }

    /// Makes the latest version active that was before and can be called, or one
    /// of an earlier program where this one's is broken, or enables the only one
    /// there is. Disabled ones are passed over, unless they are to be enabled.
    pub(crate) async fn rollback(&self, id: &str, enable: bool) -> Result<Listed, ShelfError> {
        let (shelf, id) = (self.0.clone(), id.to_owned());
        changed(async move { shelf.rollback(&id, enable).await }).await
    }

    /// Trusts the publisher with this key for these formats, or for all where
    /// none is named, beside those that it is trusted for already.
    pub(crate) async fn trust(&self, key: &Path, formats: &[String]) -> Result<Trust, ShelfError> {
        let (shelf, key, formats) = (self.0.clone(), key.to_owned(), formats.to_vec());
        changed(async move { shelf.trust(key, formats).await }).await
    }

    /// Trusts a publisher no more, and disables what it has signed.
    pub(crate) async fn untrust(&self, publisher: &str) -> Result<Untrust, ShelfError> {
        let (shelf, publisher) = (self.0.clone(), publisher.to_owned());
        changed(async move { shelf.untrust(publisher).await }).await
    }

    /// No component is removed as long as somebody has what this gives.
    pub(crate) async fn keep_components(&self) -> RwLockReadGuard<'_, ()> {
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
    change: impl Future<Output = Result<T, ShelfError>> + Send + 'static,
) -> Result<T, ShelfError> {
    let done = to_its_end(change).await;
    done.context("a change of plugins was cut off")?
}
