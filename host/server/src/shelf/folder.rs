//! The files in the folder of plugins.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use bytes::Bytes;
use parafa_plugin_host::{Plugin, PluginDigest, PluginHost};

use super::error::ShelfError;
use super::publisher::PublisherKey;
use super::state::{self, State};
use crate::config::Config;

const FOLDER: &str = "plugins";
const COMPONENTS: &str = "components";
const TRUSTED: &str = "trusted";

/// What of the data folder is backed up, in this order: the state names only
/// what was there before it, and what stays.
pub(crate) const BACKED_UP: [&str; 3] = [
    "plugins/active.json",
    "plugins/components",
    "plugins/trusted",
];

/// The folder in the data folder.
pub(super) struct PluginFolder(PathBuf);

impl PluginFolder {
    pub(super) fn of(config: &Config) -> Self {
        Self(config.store.data.join(FOLDER))
    }

    pub(super) fn trusted(&self) -> PathBuf {
        self.0.join(TRUSTED)
    }

    pub(super) fn state(&self) -> anyhow::Result<State> {
        let path = state::path(&self.0);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        serde_json::from_slice(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    pub(super) fn save(&self, state: &State) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(state).context("the state of plugins")?;
        write(&state::path(&self.0), &text)
    }

    pub(super) fn component(&self, digest: PluginDigest) -> PathBuf {
        self.0.join(COMPONENTS).join(format!("{digest}.wasm"))
    }

    pub(super) fn keep(&self, digest: PluginDigest, wasm: &[u8]) -> anyhow::Result<()> {
        write(&self.component(digest), wasm)
    }

    /// An installed component, which is still the one that was installed.
    pub(super) async fn admit(
        &self,
        host: &Arc<PluginHost>,
        digest: PluginDigest,
    ) -> anyhow::Result<Arc<Plugin>> {
        let path = self.component(digest);
        let wasm = fs::read(&path);
        let wasm = wasm.with_context(|| format!("the installed {} is missing", path.display()))?;
        if PluginDigest::of(&wasm) != digest {
            bail!("the installed {} was changed", path.display());
        }
        let admitted = host.admit(Bytes::from(wasm)).await;
        admitted.with_context(|| format!("the installed {} is not admitted", path.display()))
    }

    pub(super) fn trust(&self, key: &PublisherKey) -> anyhow::Result<()> {
        let path = self.trusted().join(format!("{}.pub", key.name()));
        write(&path, &key.to_pem()?)
    }
}

/// The content of a file that is no longer than `limit` bytes.
pub(super) fn read(path: &Path, limit: u64) -> Result<Bytes, ShelfError> {
    let unreadable = |source| ShelfError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut content = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?.take(limit + 1);
    file.read_to_end(&mut content).map_err(unreadable)?;
    if content.len() as u64 > limit {
        return Err(ShelfError::TooLong {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(content.into())
}

/// Writes a file for its owner alone, durably and in one step.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, content)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|failure| failure.error)?;
        // The folders up to the data folder may be new.
        let folders = folder.ancestors().take(3);
        for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}
