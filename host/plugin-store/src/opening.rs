//! How the plugins of a folder are found, described and loaded, each when it is
//! first needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use parafa_plugin_host::PluginHost;
use parafa_store::StoreMode;
use tokio::sync::Mutex;

use crate::catalogue::{Broken, Catalogue};
use crate::loaded::{Loaded, plugin_host};
use crate::shipped::{BrokenComponent, NoPlugins, ShippedFile};
use crate::state::{State, Version};
use crate::{Inner, blocking, folder, shipped};

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

    /// Calls only what came with the program and was never described before.
    async fn read_catalogue(&self) -> anyhow::Result<Catalogue> {
        let (folder, settings) = (self.folder.clone(), self.settings.clone());
        let (state, found) = blocking(move || (folder.state(), shipped::find(&settings))).await?;
        let mut state = state?;
        let (files, mut broken_shipped) = match found {
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
            wants_signatures: self.mode == StoreMode::Production,
            shipped,
            broken_shipped,
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

    pub(crate) async fn loaded(&self) -> anyhow::Result<&Loaded> {
        let load = || async {
            let catalogue = self.catalogue().await?;
            let host = self.host().await?.clone();
            let state = catalogue.state.lock().await;
            anyhow::Ok(Loaded::load(host, catalogue, &state).await)
        };
        self.loaded.get_or_try_init(load).await
    }

    /// Why versions were not loaded, or would not be.
    pub(crate) async fn broken(
        &self,
        catalogue: &Catalogue,
        state: &State,
    ) -> anyhow::Result<Broken> {
        match self.loaded.get() {
            Some(loaded) => Ok(loaded.broken()),
            None => Ok(catalogue.look_through(state)),
        }
    }

    /// What of the program's plugins nobody vouches for, where that matters.
    pub(crate) async fn unverified(&self) -> anyhow::Result<Vec<String>> {
        if self.mode == StoreMode::Demo {
            return Ok(Vec::new());
        }
        let catalogue = self.catalogue().await?;
        let (folder, shipped) = (self.folder.clone(), catalogue.shipped.clone());
        blocking(move || {
            let unverified = shipped.iter().filter(|(id, file)| {
                let signed = || folder.publisher_of(&file.path, file.digest);
                let is_signed = || signed().is_ok_and(|grant| grant.formats.include(id));
                !file.is_built_along && !is_signed()
            });
            let sentences = unverified.map(|(id, file)| {
                format!(
                    "the plugin {id} {} is not known to be this program's: it was not built along, and no trusted publisher has signed it",
                    file.path.display()
                )
            });
            sentences.collect()
        })
        .await
    }

    pub(crate) async fn keep_shipped(&self) -> anyhow::Result<()> {
        let catalogue = self.catalogue().await?;
        let mut state = catalogue.state.lock().await;
        state.forget_old(|id| catalogue.shipped_digest(id));
        let (folder, shipped, kept) = (
            self.folder.clone(),
            catalogue.shipped.clone(),
            state.clone(),
        );
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
    pub(crate) async fn sweep(&self, state: &State) {
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
