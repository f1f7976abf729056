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
mod publisher;
mod shipped;
mod state;
mod stock;
#[cfg(test)]
mod tests;
mod trusted;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use parafa_plugin_host::{CallObserver, PluginHost, Registry};
use parafa_store::StoreMode;
use tokio::sync::{Mutex, OnceCell, RwLock, RwLockReadGuard};

pub(crate) use self::commands::{Trust, Untrust};
pub(crate) use self::error::ShelfError;
pub(crate) use self::folder::BACKED_UP;
use self::folder::PluginFolder;
use self::loaded::Loaded;
pub(crate) use self::loaded::plugin_host;
pub(crate) use self::publisher::{KeyPair, PublisherKey, signature_file};
use self::shipped::{ShippedFile, Unfit};
use self::state::{State, Version};
pub(crate) use self::stock::Listed;
use self::stock::{Broken, Stock};
use crate::config::Config;

/// The plugins of a data folder. What there is is read when it is first asked
/// for, and loaded when it is first called.
#[derive(Clone)]
pub(crate) struct Shelf(Arc<Inner>);

struct Inner {
    config: Config,
    mode: StoreMode,
    folder: PluginFolder,
    observer: Arc<dyn CallObserver>,
    host: OnceCell<Arc<PluginHost>>,
    stock: OnceCell<Stock>,
    loaded: OnceCell<Loaded>,
    /// Components are removed only by who has it alone.
    components: RwLock<()>,
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
        Self(Arc::new(Inner {
            config: config.clone(),
            mode,
            folder: PluginFolder::of(config),
            observer,
            host: OnceCell::new(),
            stock: OnceCell::new(),
            loaded: OnceCell::new(),
            components: RwLock::new(()),
        }))
    }

    /// The plugins that can be called. One that cannot be loaded is not among
    /// them, and is logged and listed as broken; a disabled one is not looked
    /// at.
    ///
    /// # Errors
    /// When there is no plugin at all, or nothing that plugins run in.
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
            if active.is_none_or(|active| active == listed.sha256) {
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

    /// Takes a component into use, now and after a restart. One of another
    /// publisher than the last is refused unless that is to be replaced.
    pub(crate) async fn install(
        &self,
        component: &Path,
        replace_publisher: bool,
    ) -> Result<Listed, ShelfError> {
        let tested = self.0.test(component).await?;
        let shelf = self.0.clone();
        to_its_end(async move { shelf.install(tested, replace_publisher).await }).await
    }

    /// Takes the active version of a format out of use. Nothing takes its
    /// place; signatures in the making that it prepared fail.
    pub(crate) async fn disable(&self, id: &str) -> Result<Listed, ShelfError> {
        let (shelf, id) = (self.0.clone(), id.to_owned());
        to_its_end(async move { shelf.disable(&id).await }).await
    }

    /// Makes the latest version active that was before and can be called, or
    /// enables the only one there is. Disabled ones are passed over, unless
    /// they are to be enabled.
    pub(crate) async fn rollback(&self, id: &str, enable: bool) -> Result<Listed, ShelfError> {
        let (shelf, id) = (self.0.clone(), id.to_owned());
        to_its_end(async move { shelf.rollback(&id, enable).await }).await
    }

    /// Trusts the publisher with this key for these formats, or for all where
    /// none is named, beside those that it is trusted for already.
    pub(crate) async fn trust(&self, key: &Path, formats: &[String]) -> Result<Trust, ShelfError> {
        let (folder, key) = (self.0.folder.clone(), key.to_owned());
        let formats = formats.to_vec();
        blocking(move || commands::trust(&folder, &key, &formats)).await?
    }

    /// Trusts a publisher no more, and disables what it has signed.
    pub(crate) async fn untrust(&self, publisher: &str) -> Result<Untrust, ShelfError> {
        let (shelf, publisher) = (self.0.clone(), publisher.to_owned());
        to_its_end(async move { shelf.untrust(publisher).await }).await
    }

    /// No component is removed as long as somebody has what this gives.
    pub(crate) async fn keep_components(&self) -> RwLockReadGuard<'_, ()> {
        self.0.components.read().await
    }
}

impl Inner {
    async fn host(&self) -> anyhow::Result<&Arc<PluginHost>> {
        let start = || async { plugin_host(&self.config, self.observer.clone()) };
        self.host.get_or_try_init(start).await
    }

    async fn stock(&self) -> anyhow::Result<&Stock> {
        self.stock.get_or_try_init(|| self.take_stock()).await
    }

    /// Calls only what came with the program and was never described before.
    async fn take_stock(&self) -> anyhow::Result<Stock> {
        let (folder, config) = (self.folder.clone(), self.config.clone());
        let (state, found) = blocking(move || (folder.state(), shipped::find(&config))).await?;
        let mut state = state?;
        let (files, mut unfit) = match found {
            Err(error) if state.all_installed().next().is_some() => {
                tracing::error!(
                    error = format!("{error:#}"),
                    "no plugin came with the program"
                );
                (Vec::new(), Vec::new())
            }
            found => found?,
        };
        let mut shipped = BTreeMap::new();
        for file in files {
            match self.describe(&state, &file).await {
                Ok((id, version)) => {
                    state.ship(&id, version);
                    shipped.insert(id, file);
                }
                Err(reason) => {
                    tracing::error!(file = %file.path.display(), reason, "a plugin of the program is broken");
                    unfit.push(Unfit::new(&file.path, Some(file.digest), reason));
                }
            }
        }
        if shipped.is_empty() && unfit.is_empty() && state.all_installed().next().is_none() {
            bail!("there is no plugin: build them with `cargo xtask build-plugins`");
        }
        Ok(Stock {
            folder: self.folder.clone(),
            wants_signatures: self.mode == StoreMode::Production,
            shipped,
            unfit,
            state: Mutex::new(state),
        })
    }

    async fn describe(
        &self,
        state: &State,
        file: &ShippedFile,
    ) -> Result<(String, Version), String> {
        let mut known = state.all_shipped();
        if let Some((id, version)) = known.find(|(_, version)| version.sha256 == file.digest) {
            return Ok((id.to_owned(), version.clone()));
        }
        if state.is_disabled(file.digest) {
            return Err("it is disabled, and not known".to_owned());
        }
        let admitted = async {
            let (path, digest) = (file.path.clone(), file.digest);
            let wasm = blocking(move || folder::component(&path, digest)).await??;
            anyhow::Ok(self.host().await?.admit(wasm).await?)
        };
        let plugin = admitted.await.map_err(|error| format!("{error:#}"))?;
        Ok((plugin.id().to_owned(), Version::of(&plugin, None)))
    }

    async fn loaded(&self) -> anyhow::Result<&Loaded> {
        let load = || async {
            let stock = self.stock().await?;
            let host = self.host().await?.clone();
            let state = stock.state.lock().await;
            anyhow::Ok(Loaded::load(host, stock, &state).await)
        };
        self.loaded.get_or_try_init(load).await
    }

    /// Why versions were not loaded, or would not be.
    async fn broken(&self, stock: &Stock, state: &State) -> anyhow::Result<Broken> {
        match self.loaded.get() {
            Some(loaded) => Ok(loaded.broken()),
            None => Ok(stock.look_through(state)),
        }
    }

    /// What of the program's plugins nobody vouches for, where that matters.
    async fn unvouched(&self) -> anyhow::Result<Vec<String>> {
        if self.mode == StoreMode::Demo {
            return Ok(Vec::new());
        }
        let stock = self.stock().await?;
        let (folder, shipped) = (self.folder.clone(), stock.shipped.clone());
        blocking(move || {
            let unvouched = shipped.iter().filter(|(id, file)| {
                let signed = || folder.publisher_of(&file.path, file.digest);
                let is_signed = || signed().is_ok_and(|grant| grant.formats.include(id));
                !file.is_built_with() && !is_signed()
            });
            let sentences = unvouched.map(|(id, file)| {
                format!(
                    "the plugin {id} {} is not known to be this program's: it was not built along, and no trusted publisher has signed it",
                    file.path.display()
                )
            });
            sentences.collect()
        })
        .await
    }

    async fn keep_shipped(&self) -> anyhow::Result<()> {
        let stock = self.stock().await?;
        let mut state = stock.state.lock().await;
        state.forget_old(|id| stock.shipped_digest(id));
        let (folder, shipped, kept) = (self.folder.clone(), stock.shipped.clone(), state.clone());
        blocking(move || {
            for file in shipped.values() {
                folder.keep_shipped(&file.path, file.digest)?;
            }
            if folder.state()? != kept {
                folder.save(&kept)?;
            }
            anyhow::Ok(())
        })
        .await??;
        self.sweep(&state).await;
        Ok(())
    }

    /// Removes components that nothing names, unless somebody needs them all.
    async fn sweep(&self, state: &State) {
        let Ok(_alone) = self.components.try_write() else {
            return;
        };
        let (folder, state) = (self.folder.clone(), state.clone());
        let swept = blocking(move || anyhow::Ok(folder.sweep(&state)?)).await;
        if let Err(error) = swept.and_then(|swept| swept) {
            tracing::warn!(
                error = format!("{error:#}"),
                "components that nothing names are left"
            );
        }
    }
}

/// Work on files, which may take its time, on a thread for such work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.context("work on plugins was cut off")
}

/// Work that is not left half done when nobody waits for it any more.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ShelfError>> + Send + 'static,
) -> Result<T, ShelfError> {
    let done = tokio::spawn(work).await;
    done.context("a change of plugins was cut off")?
}
