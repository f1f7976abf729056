//! `demo.json`: all data that a newcomer or a script needs.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use parafa_demo::{Addresses, AttorneyFiles, Persona, World};
use serde::{Deserialize, Serialize};

use super::error::FileError;
use super::folder::FILE;
use super::store::SharedStore;
use super::workspace::Workspaces;

/// Content of `demo.json`.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoFile {
    /// Base URL of the host's APIs and pages, without a trailing slash.
    pub(crate) base_url: String,
    /// Address of its health and metrics.
    pub(crate) operator_url: String,
    #[serde(flatten)]
    pub(crate) workspaces: Workspaces,
    /// Store that other hosts may share, if possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<SharedStore>,
    pub(crate) world: WorldPart,
}

/// World of the host.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct WorldPart {
    #[serde(flatten)]
    pub(crate) addresses: Addresses,
    /// Folder of trust anchors, in the format of `trust.folder`.
    pub(crate) trust: PathBuf,
    /// Attorney's files; missing in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attorney: Option<AttorneyFiles>,
    roots: Vec<PathBuf>,
    /// All persons who can be asked to sign.
    pub(crate) personas: Vec<Persona>,
}

impl DemoFile {
    /// Returns the path of the file in a data folder.
    pub(crate) fn path(data: &Path) -> PathBuf {
        data.join(FILE)
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

impl WorldPart {
    /// Describes a world of this process.
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
