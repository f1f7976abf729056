//! `demo.json`: everything that a newcomer or a script needs.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use parafa_demo::{Addresses, AttorneyFiles, Persona, World};
use serde::{Deserialize, Serialize};

use super::diligence_keys::DiligenceKeys;
use super::relying_party::RelyingParty;
use super::store::SharedStore;
use super::workspace::Workspace;

const NAME: &str = "demo.json";

/// The file.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoFile {
    /// Where the host's APIs and pages are, without a slash at the end.
    pub(crate) base_url: String,
    /// Where its health and metrics are.
    pub(crate) operator_url: String,
    #[serde(flatten)]
    pub(crate) workspaces: Workspaces,
    /// The store that other hosts may share, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<SharedStore>,
    pub(crate) world: WorldPart,
}

/// The workspaces with their keys.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Workspaces {
    pub(super) signing: Workspace,
    pub(super) other: Workspace,
    /// Missing where an earlier version wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) diligence: Option<DiligenceKeys>,
    /// Missing where an earlier version wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) auth: Option<RelyingParty>,
}

/// The world that the host lives in.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct WorldPart {
    #[serde(flatten)]
    pub(crate) addresses: Addresses,
    /// Folder of trust anchors, as `trust.folder` takes it.
    pub(crate) trust: PathBuf,
    /// Missing where an earlier version wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attorney: Option<AttorneyFiles>,
    roots: Vec<PathBuf>,
    /// Everybody who can be asked to sign.
    pub(crate) personas: Vec<Persona>,
}

/// Why a `demo.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It is not there, or not to be read.
    #[error(
        "{} cannot be read: `parafa serve --demo` writes it to its data folder",
        path.display()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{} is not the demo.json of this version", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong.
        source: serde_json::Error,
    },
}

impl DemoFile {
    /// Where the file is in a data folder.
    pub(crate) fn path(data: &Path) -> PathBuf {
        data.join(NAME)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`FileError`].
    pub(crate) fn read(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read(path).map_err(|source| FileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        serde_json::from_slice(&text).map_err(|source| FileError::Malformed {
            path: path.to_owned(),
            source,
        })
    }

    /// Replaces the file in one step, readable for its owner alone.
    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let content = serde_json::to_vec_pretty(self).context("demo.json")?;
        let temporary = path.with_extension("new");
        let write = || {
            let mut file = std::fs::OpenOptions::new()
                .create(true)
                .truncate(true)
                .write(true)
                .mode(0o600)
                .open(&temporary)?;
            file.write_all(&content)?;
            file.sync_all()?;
            std::fs::rename(&temporary, path)
        };
        write().with_context(|| format!("{} cannot be written", path.display()))
    }
}

impl Workspaces {
    /// What an earlier start wrote, with whatever world.
    pub(super) fn kept(path: &Path) -> anyhow::Result<Option<Self>> {
        let unreadable = || format!("{} cannot be read", path.display());
        match std::fs::read(path) {
            Ok(text) => {
                let mut kept: Self = serde_json::from_slice(&text).with_context(unreadable)?;
                if kept.diligence.is_none() {
                    kept.diligence = Some(DiligenceKeys::new(kept.signing.tenant)?);
                }
                if kept.auth.is_none() {
                    kept.auth = Some(RelyingParty::new()?);
                }
                Ok(Some(kept))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(unreadable),
        }
    }
}

impl WorldPart {
    /// What a world of this process says about itself.
    pub(super) fn of(world: &World) -> Self {
        Self {
            addresses: world.addresses().clone(),
            trust: world.trust_folder().to_owned(),
            attorney: Some(world.attorney().clone()),
            roots: world.roots().to_vec(),
            personas: world.personas().to_vec(),
        }
    }
}
