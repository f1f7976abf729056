//! Discovery of a host's plugins: they are found, described and loaded when first needed, and
//! follow the changes of other hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, RwLock};

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_platform::is_away;
use parafa_plugin_host::{LookupError, Plugin, PluginAway, PluginDigest, PluginHost, PluginSource};
use parafa_store::StoreMode;
use tokio::sync::Mutex;

use crate::catalogue::{Broken, Catalogue};
use crate::error::PluginStoreError;
use crate::folder::{Component, blocking, component};
use crate::loaded::{Loaded, plugin_host};
use crate::shared::SharedPlugins;
use crate::shipped::{BrokenComponent, NoPlugins, ShippedFile};
use crate::state::{State, Version};
use crate::{Inner, PluginStore, shipped};

/// The prefix of the contract versions that this release is the last to support.
const LAST_SERVED: &str = "0.2.";

impl Inner {
    pub(crate) async fn host(&self) -> anyhow::Result<&Arc<PluginHost>> {
        let start =
            || async { plugin_host(&self.settings, self.observer.clone(), self.keeps_compiled) };
        self.host.get_or_try_init(start).await
    }

    pub(crate) async fn catalogue(&self) -> anyhow::Result<&Catalogue> {
        self.catalogue
            .get_or_try_init(|| self.read_catalogue())
            .await
    }

    /// Reads the catalogue. It calls only shipped components that were never described before.
    async fn read_catalogue(&self) -> anyhow::Result<Catalogue> {
        let settings = self.settings.clone();
        let found = blocking(move || shipped::find(&settings)).await?;
        let mut state = self.known_state().await?;
        let (files, mut broken_shipped) = match found {
            Err(error) if state.all_installed().next().is_some() => {
                tracing::error!(
                    error = format!("{error:#}"),
                    "no plugins are bundled with the program"
                );
                (Vec::new(), Vec::new())
            }
            found => found?,
        };
        let now = match &self.shared {
            Some(shared) => shared.now().await?,
            None => Timestamp::now(),
        };
        let (mut shipped, mut shipped_versions) = (BTreeMap::new(), BTreeMap::new());
        for file in files {
            match self.describe(&state, &file, now).await {
                Ok((id, version)) => {
                    state.ship(&id, version.clone());
                    shipped_versions.insert(id.clone(), version);
                    shipped.insert(id, file);
                }
                Err(reason) => {
                    tracing::error!(file = %file.path.display(), reason, "a plugin of the program is broken");
                    broken_shipped.push(BrokenComponent::new(
                        &file.path,
                        Some(file.digest),
                        reason,
                    ));
                }
            }
        }
        if shipped.is_empty() && broken_shipped.is_empty() && state.all_installed().next().is_none()
        {
            return Err(NoPlugins(
                "there is no plugin: build them with `cargo xtask build-plugins`".into(),
            )
            .into());
        }
        Ok(Catalogue {
            folder: self.folder.clone(),
            shared: self.shared.clone(),
            wants_signatures: self.mode == StoreMode::Production,
            shipped,
            shipped_versions,
            broken_shipped,
            seen: RwLock::new(Arc::new(state.clone())),
            state: Mutex::new(state),
        })
    }

    /// Reads the state from the deployment's records, or from the copy if only that is used. State
    /// that an earlier program left in the folder is moved to the records.
    async fn known_state(&self) -> anyhow::Result<State> {
        let folder = self.folder.clone();
        let copy = || blocking(move || folder.state());
        let Some(shared) = &self.shared else {
            return copy().await?;
        };
        if let Some(state) = shared.state().await? {
            return Ok(state);
        }
        let found = copy().await??;
        if found == State::default() {
            return Ok(found);
        }
        let mut components = Vec::new();
        for digest in found.components() {
            let places = [self.folder.component(digest), self.folder.shipped(digest)];
            let read = move || places.map(|path| Component::read(&path, digest));
            if let Some(component) = blocking(read).await?.into_iter().find_map(Result::ok) {
                components.push(shared.write(&component).await?);
            }
        }
        Ok(shared.begin(&found, &components).await?)
    }

    async fn describe(
        &self,
        state: &State,
        file: &ShippedFile,
        now: Timestamp,
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
            let wasm = blocking(move || component(&path, digest)).await??;
            anyhow::Ok(self.host().await?.admit(wasm).await?)
        };
        let plugin = admitted.await.map_err(|error| format!("{error:#}"))?;
        Ok((plugin.id().to_owned(), Version::of(&plugin, now)))
    }

    pub(crate) async fn loaded(&self) -> anyhow::Result<&Loaded> {
        let load = || async {
            let catalogue = self.catalogue().await?;
            let host = self.host().await?.clone();
            let state = catalogue.state.lock().await;
            anyhow::Ok(Loaded::load(host, catalogue, &state).await)
        };
        self.loaded.get_or_try_init(load).await
    }

    /// Returns the reasons why versions were not loaded, or would not be.
    pub(crate) async fn broken(&self, catalogue: &Catalogue, state: &State) -> Broken {
        match self.loaded.get() {
            Some(loaded) => loaded.broken(),
            None => catalogue.look_through(state).await,
        }
    }

    /// Returns a warning for each shipped plugin without proof of its origin, except in the demo.
    pub(crate) async fn unverified(&self) -> anyhow::Result<Vec<String>> {
        if self.mode == StoreMode::Demo {
            return Ok(Vec::new());
        }
        let catalogue = self.catalogue().await?;
        let publishers = catalogue.seen().publishers.clone();
        let shipped = catalogue.shipped.clone();
        blocking(move || {
            let unverified = shipped.iter().filter(|(id, file)| {
                let is_signed = || {
                    let component = Component::read(&file.path, file.digest);
                    component.is_ok_and(|component| {
                        let grant = component.publisher(&file.path, &publishers);
                        grant.is_ok_and(|grant| grant.formats.include(id))
                    })
                };
                !file.is_built_along && !is_signed()
            });
            let sentences = unverified.map(|(id, file)| {
                format!(
                    "the plugin {id} {} cannot be confirmed as this program's: it was not built with it, and no trusted publisher has signed it",
                    file.path.display()
                )
            });
            sentences.collect()
        })
        .await
    }

    /// Returns a warning for each active plugin written against a contract version that the next
    /// release of the program does not support.
    pub(crate) async fn outdated(&self) -> anyhow::Result<Vec<String>> {
        let catalogue = self.catalogue().await?;
        let state = catalogue.seen();
        let broken = self.broken(catalogue, &state).await;
        let listed = catalogue.list(&state, &broken).into_iter();
        let outdated = listed.filter(|one| one.active && one.contract.starts_with(LAST_SERVED));
        let sentences = outdated.map(|one| {
            format!(
                "the plugin {} {} is written against the contract {}, which the next release does not run",
                one.id, one.sha256, one.contract
            )
        });
        Ok(sentences.collect())
    }

    /// Adds the shipped components to the deployment's records, so that other hosts can finish
    /// signatures that this host has begun.
    pub(crate) async fn share_shipped(
        &self,
        shared: &SharedPlugins,
    ) -> Result<(), PluginStoreError> {
        let catalogue = self.catalogue().await?;
        let digests = catalogue.shipped.values().map(|file| file.digest);
        let lacking = shared.lacks(digests.collect()).await?;
        let mut unreadable = None;
        for file in catalogue.shipped.values() {
            if lacking.contains(&file.digest) {
                let (path, digest) = (file.path.clone(), file.digest);
                let wasm = match blocking(move || component(&path, digest)).await? {
                    Ok(wasm) => wasm,
                    // Perhaps replaced meanwhile: the others do not wait for it.
                    Err(error) => {
                        unreadable = Some(error);
                        continue;
                    }
                };
                let component = Component {
                    wasm,
                    signature: None,
                };
                // One by one, so that a retry after a failure continues.
                let written = shared.write(&component).await?;
                shared.add(&[written]).await?;
            }
        }
        if let Some(error) = unreadable {
            return Err(error);
        }
        let mut state = catalogue.state.lock().await;
        let (next, ()) = shared
            .change(&[], |state, _| {
                catalogue.ship_into(state);
                state.forget_old(|id| catalogue.shipped_digest(id));
                Ok(())
            })
            .await?;
        self.take_over(catalogue, &mut state, next).await;
        self.owes_shipped.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Applies the changes of other hosts.
    pub(crate) async fn follow(&self) -> Result<(), PluginStoreError> {
        let Some(shared) = &self.shared else {
            return Ok(());
        };
        let catalogue = self.catalogue().await?;
        let generation = shared.generation().await?;
        let mut state = catalogue.state.lock().await;
        let is_incomplete = self.loaded.get().is_some_and(Loaded::is_incomplete);
        if state.generation == generation && !is_incomplete {
            return Ok(());
        }
        let mut next = shared.state().await?.unwrap_or_default();
        catalogue.ship_into(&mut next);
        self.take_over(catalogue, &mut state, next).await;
        Ok(())
    }

    /// Makes a state this host's.
    pub(crate) async fn take_over(&self, catalogue: &Catalogue, state: &mut State, next: State) {
        let before = state.components();
        *state = next;
        catalogue.show(state);
        self.discard_compiled(catalogue, before).await;
        if let Some(loaded) = self.loaded.get() {
            loaded.follow(catalogue, state).await;
        }
        let (folder, state) = (self.folder.clone(), state.clone());
        let copied = blocking(move || folder.copy(&state)).await;
        if let Err(error) = copied.and_then(|copied| copied) {
            tracing::warn!(
                error = format!("{error:#}"),
                "the data folder has no copy of the list of plugins"
            );
        }
    }

    /// Removes the compiled code of components that the state does not name.
    pub(crate) async fn discard_compiled(
        &self,
        catalogue: &Catalogue,
        mut digests: BTreeSet<PluginDigest>,
    ) {
        let named = catalogue.seen().components();
        digests.retain(|digest| !named.contains(digest));
        let Some(host) = self.host.get().filter(|_| !digests.is_empty()).cloned() else {
            return;
        };
        let discard = move || {
            for digest in digests {
                host.discard_compiled(digest);
            }
        };
        if let Err(error) = blocking(discard).await {
            tracing::warn!(
                error = format!("{error:#}"),
                "compiled plugins could not be removed"
            );
        }
    }

    /// Loads the plugin with which a signature was begun, perhaps on another host, unless it is
    /// loaded.
    pub(crate) async fn have_at_hand(&self, digest: PluginDigest) -> Result<(), PluginStoreError> {
        let registry = &self.loaded().await?.registry;
        let is_unknown = || matches!(registry.by_digest(digest), Err(LookupError::Unknown(_)));
        if is_unknown() {
            self.follow().await?;
        }
        if is_unknown() {
            let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
            let state = catalogue.state.lock().await;
            loaded.keep(catalogue, &state, digest).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl PluginSource for PluginStore {
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway> {
        let had = self.0.have_at_hand(digest).await;
        let found = match self.0.loaded.get() {
            Some(loaded) => loaded.registry.by_digest(digest),
            None => Err(LookupError::Unknown(digest)),
        };
        match had {
            Err(error) if is_away(&error) && matches!(found, Err(LookupError::Unknown(_))) => {
                return Err(PluginAway {
                    digest,
                    source: error.into(),
                });
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, plugin.digest = %digest, "a plugin that is needed cannot be loaded");
            }
            Ok(()) => {}
        }
        Ok(found)
    }
}
