//! A host's copy of the deployment's plugins, in its data folder. It is read when the records are
//! not open, and saves reading components from them. Earlier programs had no other records.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use bytes::Bytes;
use parafa_plugin_host::{PluginDigest, remove_abandoned};
use parafa_publisher::signature_file;

use crate::error::PluginStoreError;
use crate::state::{self, State};
use crate::trusted::{Grant, TrustedPublishers};

/// Most bytes that are read of a component; admitted ones are smaller.
pub(crate) const LONGEST_COMPONENT: u64 = 64 * 1024 * 1024;
/// Longest signature or key, in bytes.
pub(crate) const LONGEST_ENVELOPE: u64 = 16 * 1024;

const FOLDER: &str = "plugins";
const COMPONENTS: &str = "components";
const TRUSTED: &str = "trusted";
/// Beside the other folder, because its components have no signatures.
const SHIPPED: &str = "shipped-plugins";

/// Parts of the data folder in backups by earlier programs.
pub const FORMERLY_BACKED_UP: [&str; 3] = [
    "plugins/active.json",
    "plugins/components",
    "plugins/trusted",
];

/// Runs blocking work on files on a thread for it.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.context("work on plugins was cut off")
}

/// The folders in the data folder.
#[derive(Clone, Debug)]
pub(crate) struct PluginFolder {
    plugins: PathBuf,
    /// Components shipped with earlier programs.
    shipped: PathBuf,
}

/// A component, and the file of its signature, if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) wasm: Bytes,
    pub(crate) signature: Option<Bytes>,
}

impl PluginFolder {
    pub(crate) fn of(data: &Path) -> Self {
        Self {
            plugins: data.join(FOLDER),
            shipped: data.join(SHIPPED),
        }
    }

    pub(crate) fn state(&self) -> anyhow::Result<State> {
        let path = state::path(&self.plugins);
        let mut state: State = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => State::default(),
            read => {
                let text = read.with_context(|| format!("{} cannot be read", path.display()))?;
                let state = serde_json::from_slice(&text);
                state.with_context(|| format!("{} is damaged", path.display()))?
            }
        };
        state.publishers = TrustedPublishers::read(&self.plugins.join(TRUSTED))?;
        Ok(state)
    }

    /// Updates the copy to this state, and removes components that it does not name.
    pub(crate) fn copy(&self, state: &State) -> anyhow::Result<()> {
        if !self.state().is_ok_and(|copied| copied == *state) {
            let trusted = self.plugins.join(TRUSTED);
            remove_others(&trusted, "pub", |_| false)?;
            for (name, grant) in state.publishers.iter() {
                write(&trusted.join(format!("{name}.pub")), &grant.to_text()?)?;
            }
            let text = serde_json::to_vec_pretty(state).context("the state of plugins")?;
            write(&state::path(&self.plugins), &text)?;
        }
        let named = state.components();
        let is_named = |stem: &str| {
            let digest = stem.parse::<PluginDigest>();
            // Other names belong to other programs, or to files being written.
            digest.is_err() || digest.is_ok_and(|digest| named.contains(&digest))
        };
        for folder in [self.plugins.join(COMPONENTS), self.shipped.clone()] {
            for end in ["wasm", "sig"] {
                remove_others(&folder, end, is_named)?;
            }
            remove_abandoned(&folder);
        }
        remove_abandoned(&self.plugins);
        remove_abandoned(&self.plugins.join(TRUSTED));
        Ok(())
    }

    /// Returns the path of an installed component's copy.
    pub(crate) fn component(&self, digest: PluginDigest) -> PathBuf {
        named(&self.plugins.join(COMPONENTS), digest)
    }

    /// Returns the path of the copy of a component shipped with another program.
    pub(crate) fn shipped(&self, digest: PluginDigest) -> PathBuf {
        named(&self.shipped, digest)
    }
}

impl Component {
    /// Reads the component at a path and checks its digest.
    pub(crate) fn read(path: &Path, digest: PluginDigest) -> Result<Self, PluginStoreError> {
        Ok(Self {
            wasm: component(path, digest)?,
            signature: read_if_there(&signature_file(path), LONGEST_ENVELOPE)?,
        })
    }

    /// Reads a component that is to be installed.
    pub(crate) fn candidate(path: &Path) -> Result<Self, PluginStoreError> {
        let wasm = read(path, LONGEST_COMPONENT)?;
        let signature = read_if_there(&signature_file(path), LONGEST_ENVELOPE)?;
        Ok(Self { wasm, signature })
    }

    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        if let Some(signature) = &self.signature {
            write(&signature_file(path), signature)?;
        }
        write(path, &self.wasm)
    }

    /// Returns the trust in the publisher whose signature is beside the component's path.
    ///
    /// # Errors
    /// When the signature is missing or invalid, or the publisher is not trusted.
    pub(crate) fn publisher<'p>(
        &self,
        path: &Path,
        publishers: &'p TrustedPublishers,
    ) -> Result<&'p Grant, PluginStoreError> {
        let path = signature_file(path);
        match &self.signature {
            Some(signature) => publishers.signed_by(&path, signature, PluginDigest::of(&self.wasm)),
            None => Err(PluginStoreError::SignatureNotKept(path)),
        }
    }
}

/// Reads a file. Other file types are not opened: opening a pipe waits for its writer.
pub fn read_file(path: &Path) -> Result<Bytes, PluginStoreError> {
    read_at_most(path, u64::MAX)
}

/// Reads a file of at most `limit` bytes.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Bytes, PluginStoreError> {
    let content = read_at_most(path, limit.saturating_add(1))?;
    if content.len() as u64 > limit {
        return Err(PluginStoreError::TooLong {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(content)
}

/// Reads a file; `None` if it does not exist.
fn read_if_there(path: &Path, limit: u64) -> Result<Option<Bytes>, PluginStoreError> {
    match read(path, limit) {
        Err(PluginStoreError::Unreadable { source, .. })
            if source.kind() == io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// Reads the first bytes of a file.
fn read_at_most(path: &Path, length: u64) -> Result<Bytes, PluginStoreError> {
    let unreadable = |source| PluginStoreError::Unreadable {
        path: path.to_owned(),
        source,
    };
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(PluginStoreError::NoFile(path.to_owned()));
    }
    let mut content = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?.take(length);
    file.read_to_end(&mut content).map_err(unreadable)?;
    Ok(content.into())
}

/// Reads a component and checks its digest.
pub(crate) fn component(path: &Path, digest: PluginDigest) -> Result<Bytes, PluginStoreError> {
    let wasm = read(path, LONGEST_COMPONENT)?;
    if PluginDigest::of(&wasm) == digest {
        Ok(wasm)
    } else {
        Err(PluginStoreError::Changed(path.to_owned()))
    }
}

fn named(folder: &Path, digest: PluginDigest) -> PathBuf {
    folder.join(format!("{digest}.wasm"))
}

/// Removes all files of a folder with this suffix, except those whose names up to the first dot are
/// kept.
fn remove_others(folder: &Path, end: &str, is_kept: impl Fn(&str) -> bool) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        if path.extension().is_some_and(|own| own == end) && !is_kept(stem) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Writes a file for its owner alone, durably and atomically.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, content)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|failure| failure.error)?;
        sync_folders(path)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// Syncs the folders of a file, so that its name is durable. The folders up to the data folder may
/// be new.
fn sync_folders(path: &Path) -> io::Result<()> {
    let folders = path.ancestors().skip(1).take(3);
    for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
