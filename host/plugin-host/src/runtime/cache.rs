use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::leftovers::remove_abandoned;
use crate::PluginDigest;

const KEY_LEN: usize = 32;
const TAG_LEN: usize = 32;
const PERMISSIONS: u32 = 0o777;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Compiled plugins, so that a start costs milliseconds instead of seconds.
///
/// Compiled code is trusted like the host itself, so only files that this cache wrote are loaded.
/// The folder belongs to the host alone. Every file begins with a tag: HMAC-SHA256 over the
/// plugin's digest, the engine's settings and the code. Its key is in the folder.
pub(crate) struct CodeCache {
    folder: PathBuf,
    /// `None` if the folder has no key yet and must stay unchanged.
    key: Option<PKey<Private>>,
    is_kept: bool,
}

/// Errors of the folder of compiled plugins.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Other users may write into the folder, so its content proves nothing.
    #[error("{} may be written by other users (mode {mode:o})", folder.display())]
    Exposed {
        /// The folder.
        folder: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The folder, or its key, cannot be read or made.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// OpenSSL has no randomness or no HMAC.
    #[error("cannot make a key")]
    Key(#[source] openssl::error::ErrorStack),
}

impl CodeCache {
    /// Opens the cache in `folder`, creating it if it does not exist.
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
        check_permissions(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        remove_abandoned(folder);
        let key = PKey::hmac(&read_or_make_key(folder)?).map_err(CacheError::Key)?;
        Ok(Self {
            folder: folder.to_owned(),
            key: Some(key),
            is_kept: true,
        })
    }

    /// Opens the cache in `folder`, if it exists, without changing it.
    pub(crate) fn look_into(folder: &Path) -> Result<Self, CacheError> {
        let key = match read_key(&folder.join("key"))? {
            Some(key) => {
                check_permissions(folder)?;
                Some(PKey::hmac(&key).map_err(CacheError::Key)?)
            }
            None => None,
        };
        Ok(Self {
            folder: folder.to_owned(),
            key,
            is_kept: false,
        })
    }

    /// Loads a plugin that was compiled for this engine earlier.
    pub(crate) fn load(&self, engine: &Engine, digest: PluginDigest) -> Option<Component> {
        let key = self.key.as_ref()?;
        let file = fs::read(self.path(engine, digest)).ok()?;
        let (tag, code) = file.split_first_chunk::<TAG_LEN>()?;
        let expected = tag_of(key, engine, digest, code).ok()?;
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

    /// Stores a compiled plugin. A failure costs time, not correctness.
    pub(crate) fn store(&self, engine: &Engine, digest: PluginDigest, component: &Component) {
        let Some(key) = self.key.as_ref().filter(|_| self.is_kept) else {
            return;
        };
        if let Err(error) = self.try_store(key, engine, digest, component) {
            tracing::warn!(plugin.digest = %digest, error = format!("{error:#}"), "cannot keep the compiled plugin");
        }
    }

    fn try_store(
        &self,
        key: &PKey<Private>,
        engine: &Engine,
        digest: PluginDigest,
        component: &Component,
    ) -> wasmtime::Result<()> {
        let code = component.serialize()?;
        let tag = tag_of(key, engine, digest, &code)?;
        // Temporary files have mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&tag)?;
        file.write_all(&code)?;
        file.as_file().sync_all()?;
        file.persist(self.path(engine, digest))?;
        Ok(())
    }

    /// Removes a plugin, for all engines.
    pub(crate) fn discard(&self, digest: PluginDigest) -> io::Result<()> {
        if !self.is_kept {
            return Ok(());
        }
        let begins = format!("{digest}-");
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&begins) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn path(&self, engine: &Engine, digest: PluginDigest) -> PathBuf {
        self.folder
            .join(format!("{digest}-{:016x}.cwasm", settings_hash(engine)))
    }
}

fn tag_of(
    key: &PKey<Private>,
    engine: &Engine,
    digest: PluginDigest,
    code: &[u8],
) -> Result<Vec<u8>, openssl::error::ErrorStack> {
    let mut signer = Signer::new(MessageDigest::sha256(), key)?;
    signer.update(digest.as_bytes())?;
    signer.update(&settings_hash(engine).to_be_bytes())?;
    signer.update(code)?;
    signer.sign_to_vec()
}

fn check_permissions(folder: &Path) -> Result<(), CacheError> {
    let metadata = fs::metadata(folder).map_err(|source| CacheError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let mode = metadata.permissions().mode() & PERMISSIONS;
    if mode & WRITABLE_BY_OTHERS != 0 {
        return Err(CacheError::Exposed {
            folder: folder.to_owned(),
            mode,
        });
    }
    Ok(())
}

#[expect(unsafe_code, reason = "loading native code is unsafe by nature")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: `code` must be the unmodified output of `Component::serialize`. The only caller
    // passes bytes in memory, which cannot change any more and whose HMAC it has just verified.
    // That HMAC's key never leaves a folder that only this user can write. Only `CodeCache::store`
    // uses it, on the output of `Component::serialize`. `deserialize` itself refuses code of
    // another engine or version.
    unsafe { Component::deserialize(engine, code) }
}

/// Hashes everything about the engine that compiled code depends on.
fn settings_hash(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

fn read_or_make_key(folder: &Path) -> Result<[u8; KEY_LEN], CacheError> {
    let path = folder.join("key");
    if let Some(key) = read_key(&path)? {
        return Ok(key);
    }
    let failed = |source| CacheError::Io {
        path: path.clone(),
        source,
    };
    let mut key = [0; KEY_LEN];
    openssl::rand::rand_bytes(&mut key).map_err(CacheError::Key)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(&key)
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed)?;
    match file.persist_noclobber(&path) {
        Ok(_) => {}
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => {
            // Another process wrote a key first, which is used unless a crash left it incomplete. A
            // complete key is never replaced.
            if read_key(&path)?.is_none() {
                tracing::warn!(
                    "the key of compiled plugins was cut short: making a new one, and compiling them again"
                );
                let replaced = lost.file.persist(&path);
                replaced.map_err(|lost| failed(lost.error))?;
            }
        }
        Err(lost) => return Err(failed(lost.error)),
    }
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)?;
    read_key(&path)?.ok_or_else(|| failed(io::Error::other("the key has another length")))
}

/// Reads the key; `None` if it is missing, or incomplete after a crash.
fn read_key(path: &Path) -> Result<Option<[u8; KEY_LEN]>, CacheError> {
    match fs::read(path) {
        Ok(key) => Ok(key.try_into().ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CacheError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component with nothing in it.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_kept_plugin_is_loaded_again_also_by_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, digest) = (Engine::default(), PluginDigest::of(EMPTY));
        let cache = CodeCache::open(folder.path()).unwrap();
        assert!(cache.load(&engine, digest).is_none());

        cache.store(
            &engine,
            digest,
            &Component::from_binary(&engine, EMPTY).unwrap(),
        );

        assert!(cache.load(&engine, digest).is_some());
        assert!(
            CodeCache::open(folder.path())
                .unwrap()
                .load(&engine, digest)
                .is_some()
        );
    }

    #[test]
    fn a_cache_that_is_only_looked_into_loads_what_is_kept_and_keeps_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        let (engine, digest) = (Engine::default(), PluginDigest::of(EMPTY));
        let component = Component::from_binary(&engine, EMPTY).unwrap();
        let looked_into = CodeCache::look_into(&folder).unwrap();
        assert!(looked_into.load(&engine, digest).is_none());
        looked_into.store(&engine, digest, &component);
        assert!(!folder.exists());
        let cache = CodeCache::open(&folder).unwrap();
        cache.store(&engine, digest, &component);
        let before = fs::read_dir(&folder).unwrap().count();
        let other = PluginDigest::of(b"another plugin");

        let looked_into = CodeCache::look_into(&folder).unwrap();
        looked_into.store(&engine, other, &component);

        assert!(looked_into.load(&engine, digest).is_some());
        assert!(looked_into.load(&engine, other).is_none());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), before);
    }

    #[test]
    fn a_file_that_the_cache_did_not_write_is_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, digest) = (Engine::default(), PluginDigest::of(EMPTY));
        let cache = CodeCache::open(folder.path()).unwrap();
        let component = Component::from_binary(&engine, EMPTY).unwrap();
        cache.store(&engine, digest, &component);
        let path = cache.path(&engine, digest);
        let other = PluginDigest::of(b"another plugin");

        let mut renamed = fs::read(&path).unwrap();
        fs::write(cache.path(&engine, other), &renamed).unwrap();
        renamed.pop();
        fs::write(&path, renamed).unwrap();

        assert!(
            cache.load(&engine, other).is_none(),
            "written for another plugin"
        );
        assert!(
            cache.load(&engine, digest).is_none(),
            "changed since it was written"
        );
    }

    #[test]
    fn a_key_that_a_crash_has_cut_short_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, digest) = (Engine::default(), PluginDigest::of(EMPTY));
        let component = Component::from_binary(&engine, EMPTY).unwrap();
        for rest in [&b""[..], &[7; KEY_LEN - 1]] {
            fs::write(folder.path().join("key"), rest).unwrap();
            let looked_into = CodeCache::look_into(folder.path()).unwrap();
            assert!(looked_into.load(&engine, digest).is_none());

            let cache = CodeCache::open(folder.path()).unwrap();

            cache.store(&engine, digest, &component);
            let again = CodeCache::open(folder.path()).unwrap();
            assert!(again.load(&engine, digest).is_some());
        }
    }

    #[test]
    fn what_was_compiled_of_a_plugin_can_be_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, digest) = (Engine::default(), PluginDigest::of(EMPTY));
        let other = PluginDigest::of(b"another plugin");
        let component = Component::from_binary(&engine, EMPTY).unwrap();
        let cache = CodeCache::open(folder.path()).unwrap();
        for digest in [digest, other] {
            cache.store(&engine, digest, &component);
        }

        cache.discard(digest).unwrap();
        cache.discard(digest).unwrap();

        assert!(cache.load(&engine, digest).is_none());
        assert!(cache.load(&engine, other).is_some());
    }

    #[test]
    fn the_folder_is_the_hosts_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & PERMISSIONS;

        CodeCache::open(&folder).unwrap();

        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("key")), 0o600);
    }

    #[test]
    fn a_folder_that_others_may_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o775)).unwrap();

        assert!(matches!(
            CodeCache::open(folder.path()),
            Err(CacheError::Exposed { mode: 0o775, .. })
        ));
    }
}
