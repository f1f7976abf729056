//! The mark that tells the folder of data keys from an empty mount point.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::blobs::{BlobError, FolderFault, failed_to};
use crate::files;

const NAME: &str = "data-keys";
/// Text for anyone who finds the file.
const TEXT: &str = "Without this file the folder counts as not mounted.\n";

/// A file that the folder contains from its creation. Without it the present keys are unknown.
#[derive(Clone, Debug)]
pub(crate) struct Mark(Arc<Path>);

impl Mark {
    /// Returns the mark of this folder, present or not.
    pub(crate) fn of(folder: &Path) -> Self {
        Self::at(&folder.join(NAME))
    }

    /// Returns the mark at this path, present or not.
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.into())
    }

    /// Checks that the mark exists. Blocks.
    ///
    /// # Errors
    /// [`BlobError::Away`] when the mark does not exist; I/O errors.
    pub(crate) fn look_for(&self) -> Result<(), BlobError> {
        // Not read: perhaps only its creator may.
        match fs::exists(&self.0) {
            Ok(true) => Ok(()),
            Ok(false) => Err(BlobError::Away {
                path: self.0.parent().unwrap_or(&self.0).display().to_string(),
            }),
            Err(source) => Err(failed_to("look for", &self.0)(source).into()),
        }
    }

    /// Creates the mark durably, unless it exists. Blocks.
    ///
    /// # Errors
    /// I/O errors.
    pub(crate) fn set(&self) -> Result<(), FolderFault> {
        self.set_text(TEXT)
    }

    /// Like [`set`](Self::set), with this text.
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
