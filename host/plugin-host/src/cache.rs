use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::PluginDigest;

const KEY_LEN: usize = 32;
const TAG_LEN: usize = 32;
const PERMISSIONS: u32 = 0o777;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Compiled plugins, so that a start costs milliseconds instead of seconds.
///
/// Compiled code is trusted as the host itself is, so nothing is loaded that
/// this cache did not write: the folder is the host's alone, and every file
/// begins with a tag, HMAC-SHA256 under a key that stands in the folder, over
/// the plugin's digest, the engine's settings and the code.
pub(crate) struct CodeCache {
    folder: PathBuf,
    key: PKey<Private>,
}

/// Why the folder of compiled plugins cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Other users may write into it, so that its content proves nothing.
    #[error("{} may be written by other users (mode {mode:o})", folder.display())]
    Exposed {
        /// The folder.
        folder: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It, or the key in it, cannot be read or made.
    #[error("cannot use {}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// OpenSSL has no randomness or no HMAC.
    #[error("cannot make a key")]
    Key(#[source] openssl::error::ErrorStack),
}

impl CodeCache {
    /// Opens the cache in `folder`, making it if there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Io {
            path: folder.to_owned(),
            source,
        };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(failed)?;
        let mode = fs::metadata(folder).map_err(failed)?.permissions().mode() & PERMISSIONS;
        if mode & WRITABLE_BY_OTHERS != 0 {
            return Err(CacheError::Exposed {
                folder: folder.to_owned(),
                mode,
            });
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        let key = PKey::hmac(&read_or_make_key(&folder.join("key"))?).map_err(CacheError::Key)?;
        Ok(Self {
            folder: folder.to_owned(),
            key,
        })
    }

    /// The plugin as it was compiled for this engine before.
    pub(crate) fn load(&self, engine: &Engine, digest: PluginDigest) -> Option<Component> {
        let file = fs::read(self.path(engine, digest)).ok()?;
        let (tag, code) = file.split_first_chunk::<TAG_LEN>()?;
        let expected = self.tag(engine, digest, code).ok()?;
        if !openssl::memcmp::eq(tag, &expected) {
            tracing::warn!(plugin.digest = %digest, "compiled plugin was not written by this cache, compiling it again");
            return None;
        }
        match deserialize(engine, code) {
            Ok(component) => Some(component),
            Err(error) => {
                tracing::warn!(plugin.digest = %digest, error = format!("{error:#}"), "cannot load the compiled plugin, compiling it again");
                None
            }
        }
    }

    /// Keeps a compiled plugin. That it cannot be kept costs time, not correctness.
    pub(crate) fn store(&self, engine: &Engine, digest: PluginDigest, component: &Component) {
        if let Err(error) = self.try_store(engine, digest, component) {
            tracing::warn!(plugin.digest = %digest, error = format!("{error:#}"), "cannot keep the compiled plugin");
        }
    }

    fn try_store(
        &self,
        engine: &Engine,
        digest: PluginDigest,
        component: &Component,
    ) -> wasmtime::Result<()> {
        let code = component.serialize()?;
        let tag = self.tag(engine, digest, &code)?;
        // Temporary files have mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&tag)?;
        file.write_all(&code)?;
        file.as_file().sync_all()?;
        file.persist(self.path(engine, digest))?;
        Ok(())
    }

    fn path(&self, engine: &Engine, digest: PluginDigest) -> PathBuf {
        self.folder
            .join(format!("{digest}-{:016x}.cwasm", settings_hash(engine)))
    }

    fn tag(
        &self,
        engine: &Engine,
        digest: PluginDigest,
        code: &[u8],
    ) -> Result<Vec<u8>, openssl::error::ErrorStack> {
        let mut signer = Signer::new(MessageDigest::sha256(), &self.key)?;
        signer.update(digest.as_bytes())?;
        signer.update(&settings_hash(engine).to_be_bytes())?;
        signer.update(code)?;
        signer.sign_to_vec()
    }
}

#[expect(unsafe_code, reason = "loading native code is unsafe by nature")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: `code` must be the unmodified output of `Component::serialize`.
    // The only caller passes bytes in memory, which nobody can change any
    // more, whose HMAC it has just verified; the key of that HMAC never leaves
    // a folder that only this user can write, and `CodeCache::store` is all
    // that uses it, on the output of `Component::serialize`. Code of another
    // engine or version is refused by `deserialize` itself.
    unsafe { Component::deserialize(engine, code) }
}

/// Stands for everything about the engine that compiled code depends on.
fn settings_hash(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

fn read_or_make_key(path: &Path) -> Result<[u8; KEY_LEN], CacheError> {
    let failed = |source| CacheError::Io {
        path: path.to_owned(),
        source,
    };
    match fs::read(path) {
        Ok(bytes) => bytes
            .try_into()
            .map_err(|_| failed(io::Error::other("the key has another length"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = [0; KEY_LEN];
            openssl::rand::rand_bytes(&mut key).map_err(CacheError::Key)?;
            let made = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path);
            match made.and_then(|mut file| file.write_all(&key).and_then(|()| file.sync_all())) {
                Ok(()) => Ok(key),
                Err(error) => Err(failed(error)),
            }
        }
        Err(error) => Err(failed(error)),
    }
}
