//! `demo.json`: everything that a newcomer or a script needs.

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

impl DemoFile {
    /// Where the file is in a data folder.
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
