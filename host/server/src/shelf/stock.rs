//! What plugins there are, told without calling any of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use parafa_plugin_host::PluginDigest;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::error::{ShelfError, reasons};
use super::folder::{self, PluginFolder};
use super::shipped::{ShippedFile, Unfit};
use super::state::{State, Version};

/// What stands for the version of a component that cannot tell it.
const UNTOLD: &str = "unknown";

/// The plugins of a data folder and of the program.
pub(super) struct Stock {
    pub(super) folder: PluginFolder,
    /// Whether an installed component needs the signature of a trusted
    /// publisher each time that it is loaded.
    pub(super) wants_signatures: bool,
    /// What came with this program, by id.
    pub(super) shipped: BTreeMap<String, ShippedFile>,
    pub(super) unfit: Vec<Unfit>,
    /// Whoever changes something holds it.
    pub(super) state: Mutex<State>,
}

/// Why versions cannot be loaded.
pub(super) type Broken = BTreeMap<PluginDigest, String>;

/// Where a version's component is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Where it is taken from when that is another one by now.
    copy: Option<PathBuf>,
    wants_signature: bool,
}

/// One version of a format, as operators see it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) contract: String,
    pub(crate) sha256: String,
    pub(crate) active: bool,
    #[serde(skip_serializing_if = "is_false", default)]
    pub(crate) disabled: bool,
    /// Why it cannot be loaded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) broken: Option<String>,
    /// The key that its signature was verified with, by its SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) publisher: Option<String>,
    /// What an operator should know about what was just done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) warning: Option<String>,
}

impl Stock {
    /// The digest of a format's active version, disabled or not.
    pub(super) fn active(&self, state: &State, id: &str) -> Option<PluginDigest> {
        state.active(id).or_else(|| self.shipped_digest(id))
    }

    /// The same of a format that is asked for, which may be broken.
    pub(super) fn known_active(&self, state: &State, id: &str) -> Result<PluginDigest, ShelfError> {
        let active = self.active(state, id);
        let active = active.or_else(|| self.unfit(id)?.digest);
        active.ok_or_else(|| self.none_active(id))
    }

    /// Why a format has no active version.
    pub(super) fn none_active(&self, id: &str) -> ShelfError {
        let id = id.to_owned();
        match self.unfit(&id) {
            Some(unfit) => ShelfError::Broken {
                id,
                reason: unfit.reason.clone(),
            },
            None => ShelfError::UnknownFormat(id),
        }
    }

    fn unfit(&self, id: &str) -> Option<&Unfit> {
        self.unfit.iter().find(|unfit| unfit.id == id)
    }

    pub(super) fn shipped_digest(&self, id: &str) -> Option<PluginDigest> {
        Some(self.shipped.get(id)?.digest)
    }

    /// Where a version's component is kept; none of one that came with an
    /// earlier program and was not kept.
    pub(super) fn place(&self, state: &State, id: &str, digest: PluginDigest) -> Option<Place> {
        let kept = self.folder.shipped(digest);
        let kept = kept.exists().then_some(kept);
        let shipped = self.shipped.get(id).filter(|file| file.digest == digest);
        if let Some(file) = shipped {
            return Some(Place {
                path: file.path.clone(),
                copy: kept,
                wants_signature: false,
            });
        }
        let mut installed = state.installed(id).iter();
        if installed.any(|version| version.sha256 == digest) {
            return Some(Place {
                path: self.folder.component(digest),
                copy: None,
                wants_signature: self.wants_signatures,
            });
        }
        kept.map(|path| Place {
            path,
            copy: None,
            wants_signature: false,
        })
    }

    /// Why versions that operators have chosen could not be loaded, as far as
    /// their files tell.
    pub(super) fn look_through(&self, state: &State) -> Broken {
        let shipped = state.all_shipped();
        let chosen = shipped.filter(|(id, version)| state.active(id) == Some(version.sha256));
        let enabled = state.all_installed().chain(chosen);
        let enabled = enabled.filter(|(_, version)| !state.is_disabled(version.sha256));
        enabled
            .filter_map(|(id, version)| {
                let digest = version.sha256;
                let place = self.place(state, id, digest);
                let place = place.ok_or(ShelfError::NotKept(digest));
                let read = place.and_then(|place| place.read(&self.folder, id, digest));
                Some((digest, reasons(&read.err()?)))
            })
            .collect()
    }

    /// All versions of all formats, by id, those that came with this program
    /// first.
    pub(super) fn list(&self, state: &State, broken: &Broken) -> Vec<Listed> {
        let unfit = self.unfit.iter();
        let mut listed: Vec<Listed> = unfit.map(|unfit| Listed::unfit(unfit, state)).collect();
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
                listed.push(Listed {
                    active: is_active,
                    disabled: is_disabled,
                    broken: broken.cloned(),
                    ..Listed::of(id, version)
                });
            }
        }
        listed.sort_by(|one, other| one.id.cmp(&other.id));
        listed
    }

    /// The active version of a format, as it is listed.
    pub(super) fn listed_active(
        &self,
        state: &State,
        broken: &Broken,
        id: &str,
    ) -> Result<Listed, ShelfError> {
        let digest = self.known_active(state, id)?.to_string();
        let mut listed = self.list(state, broken).into_iter();
        listed
            .find(|listed| listed.id == id && listed.sha256 == digest)
            .ok_or_else(|| ShelfError::UnknownFormat(id.to_owned()))
    }
}

impl Place {
    /// The component, if it is the one that it was and, where that is needed,
    /// signed by somebody who is trusted for its format.
    pub(super) fn read(
        &self,
        folder: &PluginFolder,
        id: &str,
        digest: PluginDigest,
    ) -> Result<bytes::Bytes, ShelfError> {
        let wasm = folder::component(&self.path, digest);
        let wasm = wasm.or_else(|error| match &self.copy {
            Some(copy) => folder::component(copy, digest).map_err(|_| error),
            None => Err(error),
        })?;
        if self.wants_signature {
            let grant = folder.publisher_of(&self.path, digest)?;
            if !grant.formats.include(id) {
                return Err(ShelfError::TrustedForOthers {
                    publisher: grant.key.name().to_owned(),
                    id: id.to_owned(),
                });
            }
        }
        Ok(wasm)
    }
}

impl Listed {
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
            warning: None,
        }
    }

    fn unfit(unfit: &Unfit, state: &State) -> Self {
        Self {
            id: unfit.id.clone(),
            version: UNTOLD.to_owned(),
            contract: UNTOLD.to_owned(),
            sha256: unfit
                .digest
                .map_or_else(|| UNTOLD.to_owned(), |digest| digest.to_string()),
            active: false,
            disabled: unfit.digest.is_some_and(|digest| state.is_disabled(digest)),
            broken: Some(unfit.reason.clone()),
            publisher: None,
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
