//! A new folder of anchors, beside the one that the server reads.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use openssl::x509::X509;

use crate::difference::Added;
use crate::error::ImportError;

/// Certificates that may sign the list of the lists, of a folder that has them.
pub(crate) const SIGNERS: &str = "lotl-signers.pem";

/// A folder that was made and has to turn out right.
pub(crate) struct NewFolder {
    path: PathBuf,
    is_kept: bool,
}

impl NewFolder {
    /// Creates a folder that does not exist yet.
    pub(crate) fn make(path: &Path) -> Result<Self, ImportError> {
        fs::create_dir(path).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => ImportError::Exists {
                path: path.to_owned(),
            },
            _ => unwritten(path, source),
        })?;
        Ok(Self {
            path: path.to_owned(),
            is_kept: false,
        })
    }

    /// Copies the files of entries from another folder, and its pinned signers.
    pub(crate) fn copy_from(&self, folder: &Path, files: &[String]) -> Result<(), ImportError> {
        let files: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        for file in files {
            let to = self.path.join(file);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|source| unwritten(parent, source))?;
            }
            fs::copy(folder.join(file), &to).map_err(|source| unwritten(&to, source))?;
        }
        let signers = folder.join(SIGNERS);
        if signers.is_file() {
            let to = self.path.join(SIGNERS);
            fs::copy(signers, &to).map_err(|source| unwritten(&to, source))?;
        }
        Ok(())
    }

    /// Writes the certificates of new entries.
    pub(crate) fn add_certificates(&self, added: &[Added]) -> Result<(), ImportError> {
        for added in added {
            let pem = X509::from_der(&added.certificate).and_then(|x509| x509.to_pem());
            let pem = pem.map_err(io::Error::other);
            let pem = pem.map_err(|source| unwritten(&self.path.join(&added.file), source))?;
            self.write(&added.file, &pem)?;
        }
        Ok(())
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ImportError> {
        let path = self.path.join(name);
        fs::write(&path, bytes).map_err(|source| unwritten(&path, source))
    }

    /// Keeps the folder.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

/// Removes an incomplete folder.
impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // The folder is new and incomplete; the caller gets the error that matters.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn unwritten(path: &Path, source: io::Error) -> ImportError {
    ImportError::Write {
        path: path.to_owned(),
        source,
    }
}
