//! The installed and shipped plugins, listed without calling them.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use parafa_platform::reasons;
use parafa_plugin_host::PluginDigest;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::error::PluginStoreError;
use crate::folder::{Component, PluginFolder, blocking};
use crate::origin::PluginOrigin;
use crate::shared::SharedPlugins;
use crate::shipped::{BrokenComponent, ShippedFile};
use crate::state::{State, Version};

/// The version of a component that cannot report it.
const UNKNOWN: &str = "unknown";

/// The plugins of a deployment and of the program.
pub(crate) struct Catalogue {
    /// This host's copy.
    pub(crate) folder: PluginFolder,
    /// The deployment's records of plugins; `None` if only the host's copy is read.
    pub(crate) shared: Option<SharedPlugins>,
    /// True if an installed component needs a trusted publisher's signature at every load.
    pub(crate) wants_signatures: bool,
    /// Components shipped with this program, by id.
    pub(crate) shipped: BTreeMap<String, ShippedFile>,
    pub(crate) shipped_versions: BTreeMap<String, Version>,
    pub(crate) broken_shipped: Vec<BrokenComponent>,
    /// This host's state. The lock is held while changing it or following a change.
    pub(crate) state: Mutex<State>,
    /// The same state for readers, which do not wait: following a change may take long.
    pub(crate) seen: RwLock<Arc<State>>,
}

/// Reasons why versions cannot be loaded.
pub(crate) type Broken = BTreeMap<PluginDigest, String>;

/// The file of a version's component on this host.
#[derive(Clone, Debug)]
pub(crate) struct ComponentFile {
    pub(crate) path: PathBuf,
    /// True if this host copied it from the deployment's records.
    is_copy: bool,
    /// True if an operator installed it.
    is_installed: bool,
    wants_signature: bool,
}

/// One version of a format, as operators see it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PluginVersion {
    /// The format, such as `pdf`.
    pub id: String,
    /// The plugin's own version.
    pub version: String,
    /// Version of the contract, such as `1.0.0`.
    pub contract: String,
    /// Lower-case hex of the component's SHA-256.
    pub sha256: String,
    /// True if the format's documents are passed to it.
    pub active: bool,
    /// True if an operator has disabled it.
    #[serde(skip_serializing_if = "is_false", default)]
    pub disabled: bool,
    /// The reason why it cannot be loaded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub broken: Option<String>,
    /// The key that verified its signature, by its SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The artifact that it was pulled from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<PluginOrigin>,
    /// A warning to the operator about the last command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warning: Option<String>,
}

impl Catalogue {
    /// Returns this host's state, without waiting for a change in progress.
    pub(crate) fn seen(&self) -> Arc<State> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }

    /// Publishes this host's state to readers.
    pub(crate) fn show(&self, state: &State) {
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        *seen = Arc::new(state.clone());
    }

    /// Returns the digest of a format's active version, disabled or not.
    pub(crate) fn active(&self, state: &State, id: &str) -> Option<PluginDigest> {
        state.active(id).or_else(|| self.shipped_digest(id))
    }

    /// Like `active`, with an error if the format is unknown. The version may be broken.
    pub(crate) fn known_active(
        &self,
        state: &State,
        id: &str,
    ) -> Result<PluginDigest, PluginStoreError> {
        let active = self.active(state, id);
        let active = active.or_else(|| self.broken_shipped(id)?.digest);
        active.ok_or_else(|| self.none_active(id))
    }

    /// Returns the error of a format without an active version.
    pub(crate) fn none_active(&self, id: &str) -> PluginStoreError {
        let id = id.to_owned();
        match self.broken_shipped(&id) {
            Some(broken_shipped) => PluginStoreError::Broken {
                id,
                reason: broken_shipped.reason.clone(),
            },
            None => PluginStoreError::UnknownFormat(id),
        }
    }

    /// Returns formats without an active version here, with the version that a rollback would
    /// activate. Another program has shipped it, and no operator has disabled it.
    pub(crate) fn absent<'s>(
        &'s self,
        state: &'s State,
    ) -> impl Iterator<Item = (&'s str, PluginDigest)> {
        let ids = state.ids().filter(move |id| {
            self.active(state, id).is_none() && self.broken_shipped(id).is_none()
        });
        ids.filter_map(move |id| {
            let mut earlier = state.earlier(id, false).into_iter().flatten();
            let enabled = earlier.find(|digest| !state.is_disabled(*digest));
            Some((id, enabled?))
        })
    }

    fn broken_shipped(&self, id: &str) -> Option<&BrokenComponent> {
        self.broken_shipped
            .iter()
            .find(|broken_shipped| broken_shipped.id == id)
    }

    pub(crate) fn shipped_digest(&self, id: &str) -> Option<PluginDigest> {
        Some(self.shipped.get(id)?.digest)
    }

    /// Adds the components shipped with this program.
    pub(crate) fn ship_into(&self, state: &mut State) {
        for (id, version) in &self.shipped_versions {
            state.ship(id, version.clone());
        }
    }

    /// Returns the file of a version's component; `None` if the version is unknown.
    pub(crate) fn component_file(
        &self,
        state: &State,
        id: &str,
        digest: PluginDigest,
    ) -> Option<ComponentFile> {
        let shipped = self.shipped.get(id).filter(|file| file.digest == digest);
        if let Some(file) = shipped {
            return Some(ComponentFile {
                path: file.path.clone(),
                is_copy: false,
                is_installed: false,
                wants_signature: false,
            });
        }
        state.version(id, digest)?;
        let mut installed = state.installed(id).iter();
        let is_installed = installed.any(|version| version.sha256 == digest);
        Some(ComponentFile {
            path: if is_installed {
                self.folder.component(digest)
            } else {
                self.folder.shipped(digest)
            },
            is_copy: true,
            is_installed,
            wants_signature: is_installed && self.wants_signatures,
        })
    }

    /// Returns a version's component and its path. Its digest must match, and if required, a
    /// publisher trusted for its format must have signed it. An unsound file is replaced from the
    /// deployment's records.
    pub(crate) async fn component(
        &self,
        state: &State,
        id: &str,
        digest: PluginDigest,
    ) -> Result<(PathBuf, Bytes), PluginStoreError> {
        let file = self.component_file(state, id, digest);
        let file = file.ok_or(PluginStoreError::NotKept(digest))?;
        let path = file.path.clone();
        let found = blocking(move || Component::read(&path, digest)).await?;
        let found = found.and_then(|component| file.checked(component, state, id));
        let error = match found {
            Ok(component) => return Ok((file.path, component.wasm)),
            Err(error) => error,
        };
        let kept = match &self.shared {
            Some(shared) => shared.component(digest).await?,
            None => None,
        };
        let kept = kept.ok_or_else(|| match error {
            PluginStoreError::Unreadable { source, .. }
                if !file.is_installed && source.kind() == io::ErrorKind::NotFound =>
            {
                PluginStoreError::NotKept(digest)
            }
            error => error,
        })?;
        let component = file.checked(kept, state, id)?;
        if file.is_copy {
            copy(component.clone(), file.path.clone()).await?;
        }
        Ok((file.path, component.wasm))
    }

    /// Returns the faults of versions that operators installed, as far as their files show.
    pub(crate) async fn look_through(&self, state: &State) -> Broken {
        let shipped = state.all_shipped();
        let chosen = shipped.filter(|(id, version)| state.active(id) == Some(version.sha256));
        let enabled = state.all_installed().chain(chosen);
        let enabled = enabled.filter(|(_, version)| !state.is_disabled(version.sha256));
        let mut broken = Broken::new();
        for (id, version) in enabled {
            let digest = version.sha256;
            if let Err(error) = self.component(state, id, digest).await {
                broken.insert(digest, reasons(&error));
            }
        }
        broken
    }

    /// Lists all versions of all formats by id, shipped ones first.
    pub(crate) fn list(&self, state: &State, broken: &Broken) -> Vec<PluginVersion> {
        let broken_shipped = self.broken_shipped.iter();
        let mut listed: Vec<PluginVersion> = broken_shipped
            .map(|broken_shipped| PluginVersion::broken_shipped(broken_shipped, state))
            .collect();
        for id in state.ids() {
            let active = self.active(state, id);
            let installed = state.installed(id);
            // The active one may have come with an earlier program.
            let shipped = self.shipped_digest(id).into_iter().chain(active);
            let mut shipped: Vec<_> = shipped
                .filter(|digest| installed.iter().all(|version| version.sha256 != *digest))
                .collect();
            shipped.dedup();
            let shipped = shipped.into_iter();
            let shipped = shipped.filter_map(|digest| state.version(id, digest));
            for version in shipped.chain(installed) {
                let is_disabled = state.is_disabled(version.sha256);
                let broken = broken.get(&version.sha256);
                let is_active = active == Some(version.sha256) && !is_disabled && broken.is_none();
                listed.push(PluginVersion {
                    active: is_active,
                    disabled: is_disabled,
                    broken: broken.cloned(),
                    ..PluginVersion::of(id, version)
                });
            }
        }
        listed.sort_by(|one, other| one.id.cmp(&other.id));
        listed
    }

    /// Returns the listing of a format's active version.
    pub(crate) fn listed_active(
        &self,
        state: &State,
        broken: &Broken,
        id: &str,
    ) -> Result<PluginVersion, PluginStoreError> {
        let digest = self.known_active(state, id)?.to_string();
        let mut listed = self.list(state, broken).into_iter();
        listed
            .find(|listed| listed.id == id && listed.sha256 == digest)
            .ok_or_else(|| PluginStoreError::UnknownFormat(id.to_owned()))
    }
}

/// Copies a component into the data folder; a failure is harmless.
pub(crate) async fn copy(component: Component, path: PathBuf) -> anyhow::Result<()> {
    if let Err(error) = blocking(move || component.write(&path)).await? {
        tracing::warn!(error = format!("{error:#}"), "a component is not copied");
    }
    Ok(())
}

impl ComponentFile {
    fn checked(
        &self,
        component: Component,
        state: &State,
        id: &str,
    ) -> Result<Component, PluginStoreError> {
        if self.wants_signature {
            let grant = component.publisher(&self.path, &state.publishers)?;
            grant.check_format(id)?;
        }
        Ok(component)
    }
}

impl PluginVersion {
    fn of(id: &str, version: &Version) -> Self {
        Self {
            id: id.to_owned(),
            version: version.version.clone(),
            contract: version.contract.clone(),
            sha256: version.sha256.to_string(),
            active: false,
            disabled: false,
            broken: None,
            publisher: version.publisher.clone(),
            origin: version.origin.clone(),
            warning: None,
        }
    }

    fn broken_shipped(broken_shipped: &BrokenComponent, state: &State) -> Self {
        Self {
            id: broken_shipped.id.clone(),
            version: UNKNOWN.to_owned(),
            contract: UNKNOWN.to_owned(),
            sha256: broken_shipped
                .digest
                .map_or_else(|| UNKNOWN.to_owned(), |digest| digest.to_string()),
            active: false,
            disabled: broken_shipped
                .digest
                .is_some_and(|digest| state.is_disabled(digest)),
            broken: Some(broken_shipped.reason.clone()),
            publisher: None,
            origin: None,
            warning: None,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}
