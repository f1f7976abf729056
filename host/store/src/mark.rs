//! What tells the folder of data keys from the place where it is to be mounted.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::blobs::{BlobError, FolderFault, failed_to};
use crate::files;

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
        Self::at(&folder.join(NAME))
    }

    /// The mark that is a file at this path, whether or not it is there.
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.into())
    }

    /// Blocks on the folder.
    ///
    /// # Errors
    /// [`BlobError::Away`] when the mark is not there; I/O errors.
    pub(crate) fn look_for(&self) -> Result<(), BlobError> {
        // Not read: whoever made it may be the only one who may.
        match fs::exists(&self.0) {
            Ok(true) => Ok(()),
            Ok(false) => Err(BlobError::Away {
                path: self.0.parent().unwrap_or(&self.0).display().to_string(),
            }),
            Err(source) => Err(failed_to("look for", &self.0)(source).into()),
        }
    }

    /// Writes it durably, if it is not there. Blocks on the folder.
    ///
    /// # Errors
    /// I/O errors.
    pub(crate) fn set(&self) -> Result<(), FolderFault> {
        self.set_text(TEXT)
    }

    /// The same, with what it says.
    pub(crate) fn set_text(&self, text: &str) -> Result<(), FolderFault> {
        let temporary = self.0.with_extension(files::TEMPORARY);
        match files::write_new(&temporary, &self.0, text.as_bytes()) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                Err(failed_to("write", &self.0)(source))
            }
            _ => Ok(()),
        }
    }
}
