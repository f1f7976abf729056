//! Data that a server leaves when it ends, for a later server.

use std::mem;

use parafa_test_services::TemporaryDatabase;
use tempfile::TempDir;

use super::{Demo, Start};

/// Data of a server that has ended.
pub(crate) struct LeftBehind {
    pub(crate) folder: TempDir,
    /// Its records, if they are in a database.
    pub(crate) database: Option<TemporaryDatabase>,
}

impl Demo {
    /// Returns the data of a server that has ended.
    pub(crate) fn leave(mut self) -> LeftBehind {
        let nothing = tempfile::tempdir().expect("a temporary folder");
        LeftBehind {
            folder: mem::replace(&mut self.folder, nothing),
            database: self.database.take(),
        }
    }

    /// Starts a server on data that another one left.
    pub(crate) fn on_left(left: LeftBehind) -> Self {
        let LeftBehind { folder, database } = left;
        let start = Start::on(database.as_ref());
        Self::on_folder(folder, database, start)
    }
}
