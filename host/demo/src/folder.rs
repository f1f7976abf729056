//! The folder that preserves a world across restarts.

use std::{
    fs,
    io::{self, Write as _},
    net::SocketAddr,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use der::{DecodePem as _, Encode as _, EncodePem as _, pem::LineEnding};
use jiff::SignedDuration;
use parafa_issuing::{Certificate, IssuingError, Key, KeyKind};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::error::WorldError;

const KEYS: &str = "keys";
const MARKER: &str = "demo-world.json";
const CLOCK: &str = "clock.json";
const VERSION: u32 = 1;
const SECRET_MODE: u32 = 0o600;
const PUBLIC_MODE: u32 = 0o644;

/// A folder that belongs to one demo world and is marked as such.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

#[derive(Deserialize, Serialize)]
struct Marker {
    version: u32,
    /// The address that the certificates name.
    address: SocketAddr,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct KeptClock {
    offset_seconds: i64,
}

impl Folder {
    /// Opens the folder of a world, or prepares one for a new world. A new one must be empty, or
    /// contain only the folder of keys to use.
    pub(crate) fn open(root: &Path) -> Result<Self, WorldError> {
        create_folder(root)?;
        let folder = Self {
            root: root.to_owned(),
        };
        let mut entries = fs::read_dir(root).map_err(file_error("read", root))?;
        let is_in_use = entries.any(|entry| entry.map_or(true, |entry| entry.file_name() != KEYS));
        if is_in_use && !folder.path(MARKER).exists() {
            return Err(WorldError::ForeignFolder(root.to_owned()));
        }
        Ok(folder)
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// The address of the first start.
    pub(crate) fn address(&self) -> Result<Option<SocketAddr>, WorldError> {
        let Some(marker) = self.json::<Marker>(MARKER)? else {
            return Ok(None);
        };
        if marker.version != VERSION {
            return Err(WorldError::Damaged {
                path: self.path(MARKER),
                reason: format!("unknown version {}", marker.version),
            });
        }
        Ok(Some(marker.address))
    }

    /// Marks the folder as this world's.
    pub(crate) fn mark(&self, address: SocketAddr) -> Result<(), WorldError> {
        let marker = Marker {
            version: VERSION,
            address,
        };
        let text = serde_json::to_vec_pretty(&marker).expect("a marker is plain JSON");
        self.write(MARKER, &text)
    }

    /// Offset of the world's clock.
    pub(crate) fn offset(&self) -> Result<SignedDuration, WorldError> {
        let kept = self.json::<KeptClock>(CLOCK)?;
        Ok(kept.map_or(SignedDuration::ZERO, |clock| {
            SignedDuration::from_secs(clock.offset_seconds)
        }))
    }

    /// Stores the offset of the world's clock, in whole seconds.
    pub(crate) fn keep_offset(&self, offset: SignedDuration) -> Result<(), WorldError> {
        let clock = KeptClock {
            offset_seconds: offset.as_secs(),
        };
        let text = serde_json::to_vec_pretty(&clock).expect("an offset is plain JSON");
        self.write(CLOCK, &text)
    }

    /// Content of a file of the world; `None` if there is no such file.
    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, WorldError> {
        let path = self.path(name);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read(&path).map_err(file_error("read", &path))?;
        match serde_json::from_slice(&text) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(WorldError::Damaged {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// Writes a world-readable file.
    pub(crate) fn write(&self, relative: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WorldError> {
        write_file(&self.path(relative), bytes, PUBLIC_MODE)
    }

    /// The key of this name, made at first need.
    pub(crate) fn key(&self, name: &str, spec: KeyKind) -> Result<Key, WorldError> {
        let path = self.key_path(name);
        if path.exists() {
            let pem = fs::read(&path).map_err(file_error("read", &path))?;
            let key = Key::from_pem(&pem).ok();
            return key
                .filter(|key| key.is(spec))
                .ok_or_else(|| WorldError::Damaged {
                    path,
                    reason: format!("not a private key of the kind {spec:?}"),
                });
        }
        let key = Key::generate(spec)?;
        write_file(&path, &key.to_pem()?, SECRET_MODE)?;
        Ok(key)
    }

    /// Returns true if a key of this name and kind is stored already.
    pub(crate) fn has_key(&self, name: &str, spec: KeyKind) -> bool {
        let pem = fs::read(self.key_path(name)).unwrap_or_default();
        Key::from_pem(&pem).is_ok_and(|key| key.is(spec))
    }

    /// The certificate of this name, which must be of `key`; issued at first need.
    pub(crate) fn certificate(
        &self,
        name: &str,
        key: &Key,
        issue: impl FnOnce() -> Result<Certificate, IssuingError>,
    ) -> Result<Certificate, WorldError> {
        let path = self.certificate_path(name);
        if !path.exists() {
            let certificate = issue()?;
            let pem = certificate.to_pem(LineEnding::LF)?;
            write_file(&path, pem.as_bytes(), PUBLIC_MODE)?;
            return Ok(certificate);
        }
        let pem = fs::read(&path).map_err(file_error("read", &path))?;
        let damaged = |reason: &str| WorldError::Damaged {
            path: path.clone(),
            reason: reason.into(),
        };
        let certificate = Certificate::from_pem(&pem).map_err(|_| damaged("not a certificate"))?;
        let certified = certificate
            .tbs_certificate
            .subject_public_key_info
            .to_der()?;
        if certified != key.public_key()? {
            return Err(damaged("certifies another key than the one kept beside it"));
        }
        Ok(certificate)
    }

    pub(crate) fn key_path(&self, name: &str) -> PathBuf {
        self.path(format!("{KEYS}/{name}.pem"))
    }

    pub(crate) fn certificate_path(&self, name: &str) -> PathBuf {
        self.path(format!("certificates/{name}.pem"))
    }
}

/// Writes beside the file and renames, so that no reader sees half of it.
fn write_file(path: &Path, bytes: &[u8], mode: u32) -> Result<(), WorldError> {
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    let draft = path.with_extension("new");
    let write = || -> io::Result<()> {
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(file_error("write", path))
}

fn create_folder(path: &Path) -> Result<(), WorldError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(file_error("create", path))
}

fn file_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WorldError {
    let path = path.to_owned();
    move |source| WorldError::File {
        action,
        path,
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_with_foreign_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        create_folder(&folder.path().join(KEYS)).unwrap();
        fs::write(folder.path().join("letter.txt"), "hello").unwrap();
        assert!(matches!(
            Folder::open(folder.path()),
            Err(WorldError::ForeignFolder(_))
        ));
    }

    #[test]
    fn a_key_of_another_kind_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let made = Folder::open(folder.path()).unwrap();
        made.key("a", KeyKind::P256).unwrap();

        assert!(made.key("a", KeyKind::P256).is_ok());
        for spec in [KeyKind::P384, KeyKind::Rsa(2048)] {
            let other = made.key("a", spec);
            assert!(matches!(other, Err(WorldError::Damaged { .. })));
        }
    }

    #[test]
    fn a_world_begins_with_the_keys_that_its_folder_has() {
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let made = Folder::open(first.path()).unwrap();
        made.key("a", KeyKind::P256).unwrap();
        create_folder(&second.path().join(KEYS)).unwrap();
        fs::copy(made.key_path("a"), second.path().join("keys/a.pem")).unwrap();

        let folder = Folder::open(second.path()).unwrap();

        assert_eq!(
            fs::read(folder.key_path("a")).unwrap(),
            fs::read(made.key_path("a")).unwrap()
        );
    }

    #[test]
    fn a_key_stays_the_same_and_is_readable_by_its_owner_alone() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let first = folder.key("a", KeyKind::P256).unwrap();
        let second = folder.key("a", KeyKind::P256).unwrap();
        assert!(first.pkey().public_eq(second.pkey()));
        let mode = fs::metadata(folder.path("keys/a.pem"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn the_clocks_offset_is_remembered() {
        let root = tempfile::tempdir().unwrap();
        let offset = SignedDuration::from_hours(72);
        let folder = Folder::open(root.path()).unwrap();
        assert_eq!(folder.offset().unwrap(), SignedDuration::ZERO);
        folder.mark("127.0.0.1:20001".parse().unwrap()).unwrap();
        folder.keep_offset(offset).unwrap();

        let again = Folder::open(root.path()).unwrap();

        assert_eq!(again.offset().unwrap(), offset);
    }

    #[test]
    fn the_address_of_the_first_start_is_remembered() {
        let root = tempfile::tempdir().unwrap();
        let address = "127.0.0.1:20001".parse().unwrap();
        Folder::open(root.path()).unwrap().mark(address).unwrap();
        let again = Folder::open(root.path()).unwrap();
        assert_eq!(again.address().unwrap(), Some(address));
    }
}
