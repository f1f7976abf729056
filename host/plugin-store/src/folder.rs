//! The files in the folder of plugins.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use bytes::Bytes;
use parafa_plugin_host::PluginDigest;

use crate::error::PluginStoreError;
use crate::publisher::{PluginSignature, signature_file};
use crate::state::{self, State};
use crate::trusted::{Grant, TrustedPublishers};

/// Most bytes that are read of a component; what is admitted is shorter.
pub(crate) const LONGEST_COMPONENT: u64 = 64 * 1024 * 1024;
/// Longest signature or key, in bytes.
pub(crate) const LONGEST_ENVELOPE: u64 = 16 * 1024;

const FOLDER: &str = "plugins";
const COMPONENTS: &str = "components";
const TRUSTED: &str = "trusted";
/// It is beside the others and not backed up: what is in it has no signature.
const SHIPPED: &str = "shipped-plugins";

/// What of the data folder is backed up, in this order: the state names only
/// what was there before it, and what stays.
pub const BACKED_UP: [&str; 3] = [
    "plugins/active.json",
    "plugins/components",
    "plugins/trusted",
];

/// The folders in the data folder.
#[derive(Clone, Debug)]
pub(crate) struct PluginFolder {
    plugins: PathBuf,
    /// Components that came with this program and with earlier ones.
    shipped: PathBuf,
}

/// A component that somebody wants installed.
pub(crate) struct Candidate {
    pub(crate) wasm: Bytes,
    /// The file of its signature, if there is one.
    pub(crate) signature: Option<Bytes>,
    /// What the publisher who has signed it is trusted for, or why it counts as
    /// signed by nobody.
    pub(crate) grant: Result<Grant, PluginStoreError>,
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
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        serde_json::from_slice(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    pub(crate) fn save(&self, state: &State) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(state).context("the state of plugins")?;
        write(&state::path(&self.plugins), &text)
    }

    /// Where an installed component is.
    pub(crate) fn component(&self, digest: PluginDigest) -> PathBuf {
        named(&self.plugins.join(COMPONENTS), digest)
    }

    /// Where a component is that came with an earlier program.
    pub(crate) fn shipped(&self, digest: PluginDigest) -> PathBuf {
        named(&self.shipped, digest)
    }

    /// Keeps a component with the file of its signature.
    pub(crate) fn keep(
        &self,
        digest: PluginDigest,
        wasm: &[u8],
        signature: Option<&[u8]>,
    ) -> anyhow::Result<()> {
        let path = self.component(digest);
        if let Some(signature) = signature {
            write(&signature_file(&path), signature)?;
        }
        write(&path, wasm)
    }

    /// Keeps what came with this program for the day when another one does.
    pub(crate) fn keep_shipped(&self, file: &Path, digest: PluginDigest) -> anyhow::Result<()> {
        let path = self.shipped(digest);
        if component(&path, digest).is_ok() {
            return Ok(());
        }
        write(&path, &component(file, digest)?)
    }

    /// Removes components that a state does not name.
    pub(crate) fn sweep(&self, state: &State) -> io::Result<()> {
        let installed = state.all_installed().map(|(_, version)| version.sha256);
        let shipped = state.all_shipped().map(|(_, version)| version.sha256);
        remove_others(
            &self.plugins.join(COMPONENTS),
            &installed.collect::<Vec<_>>(),
        )?;
        remove_others(&self.shipped, &shipped.collect::<Vec<_>>())
    }

    pub(crate) fn candidate(&self, component: &Path) -> Result<Candidate, PluginStoreError> {
        let wasm = read(component, LONGEST_COMPONENT)?;
        let digest = PluginDigest::of(&wasm);
        let path = signature_file(component);
        let signature = read_if_there(&path, LONGEST_ENVELOPE)?;
        let grant = match &signature {
            Some(signature) => self.signed_by(&path, signature, digest),
            None => Err(PluginStoreError::Unsigned {
                component: component.to_owned(),
                signature: path,
            }),
        };
        Ok(Candidate {
            wasm,
            signature,
            grant,
        })
    }

    /// What the publisher who has signed a component is trusted for.
    ///
    /// # Errors
    /// When its signature is missing or bad, or the publisher not trusted.
    pub(crate) fn publisher_of(
        &self,
        component: &Path,
        digest: PluginDigest,
    ) -> Result<Grant, PluginStoreError> {
        let path = signature_file(component);
        let signature = read_if_there(&path, LONGEST_ENVELOPE)?;
        let signature =
            signature.ok_or_else(|| PluginStoreError::SignatureNotKept(path.clone()))?;
        self.signed_by(&path, &signature, digest)
    }

    /// The same of a signature that was read.
    pub(crate) fn signed_by(
        &self,
        path: &Path,
        signature: &[u8],
        digest: PluginDigest,
    ) -> Result<Grant, PluginStoreError> {
        let bad = |reason| PluginStoreError::BadSignature {
            path: path.to_owned(),
            reason,
        };
        let signature = PluginSignature::parse(signature).map_err(bad)?;
        let publisher = signature.publisher();
        let trusted = self.trusted()?;
        let Some(grant) = trusted.grant(publisher) else {
            return Err(PluginStoreError::UntrustedPublisher {
                publisher: publisher.to_owned(),
            });
        };
        signature.verify(&grant.key, digest).map_err(bad)?;
        Ok(grant.clone())
    }

    pub(crate) fn trusted(&self) -> anyhow::Result<TrustedPublishers> {
        TrustedPublishers::read(&self.plugins.join(TRUSTED))
    }

    /// Writes a grant in place of the files that it came from.
    pub(crate) fn trust(&self, grant: &Grant) -> anyhow::Result<()> {
        let folder = self.plugins.join(TRUSTED);
        let path = folder.join(format!("{}.pub", grant.key.name()));
        write(&path, &grant.to_text()?)?;
        let mut others = grant.files.iter().filter(|file| **file != path);
        others.try_for_each(|file| remove(file))
    }

    /// Removes all files of a grant.
    pub(crate) fn untrust(&self, grant: &Grant) -> anyhow::Result<()> {
        grant.files.iter().try_for_each(|file| remove(file))
    }
}

/// The content of a file. What is no file is not opened: whoever opens a pipe
/// waits for its writer.
pub fn read_file(path: &Path) -> Result<Bytes, PluginStoreError> {
    read_at_most(path, u64::MAX)
}

/// The same of a file that is no longer than `limit` bytes.
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

/// None where there is no such file.
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

/// The first bytes of a file.
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

/// A component that is still the one that it was.
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

/// Removes all components of a folder but these.
fn remove_others(folder: &Path, kept: &[PluginDigest]) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digest = name.split('.').next().unwrap_or_default().parse();
        // What has another name is not ours, or being written.
        if digest.is_ok_and(|digest: PluginDigest| !kept.contains(&digest)) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
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
        sync_folders(path)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// Removes a file durably, if it is there.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => sync_folders(path),
    }
    .with_context(|| format!("{} cannot be removed", path.display()))
}

/// Makes durable which files there are. The folders up to the data folder may
/// be new.
fn sync_folders(path: &Path) -> io::Result<()> {
    let folders = path.ancestors().skip(1).take(3);
    for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
