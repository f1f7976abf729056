//! What tells the folder of data keys from the place where it is to be mounted.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::KeyError;
use crate::files;
use crate::sweep;

const NAME: &str = "data-keys";
/// What it says to whoever finds it.
const TEXT: &str = "Without this file the folder counts as not mounted.\n";

/// A file that is in the folder from its beginning. Where it is not, nobody knows which keys there
/// are.
#[derive(Clone, Debug)]
pub(crate) struct Mark(Arc<Path>);

impl Mark {
    /// The mark of this folder, whether or not it is there.
    pub(crate) fn of(folder: &Path) -> Self {
        Self(folder.join(NAME).into())
    }

    /// Blocks on the folder.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`] when the mark is not there; I/O errors.
    pub(super) fn look_for(&self) -> Result<(), KeyError> {
        // Not read: whoever made it may be the only one who may.
        match fs::exists(&self.0) {
            Ok(true) => Ok(()),
            Ok(false) => Err(KeyError::FolderAway {
                path: self.0.parent().unwrap_or(&self.0).display().to_string(),
            }),
            Err(source) => Err(self.failed_to("look for", source)),
        }
    }

    /// Writes it durably, if it is not there. Blocks on the folder.
    ///
    /// # Errors
    /// I/O errors.
    pub(crate) fn set(&self) -> Result<(), KeyError> {
        let temporary = self.0.with_extension(sweep::TEMPORARY);
        match files::write_new(&temporary, &self.0, TEXT.as_bytes()) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.failed_to("write", source))
            }
            _ => Ok(()),
        }
    }

    fn failed_to(&self, action: &'static str, source: io::Error) -> KeyError {
        KeyError::Io {
            action,
            path: self.0.display().to_string(),
            source,
        }
    }
}
