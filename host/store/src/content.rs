//! Byte files and data keys that rows name.

use std::collections::HashSet;

use uuid::Uuid;

/// Kinds of content that the rows of a table may name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Content {
    /// Neither byte files nor data keys.
    Nothing,
    /// Data keys.
    Keys,
    /// Data keys, and byte files that are sealed under them.
    KeysAndFiles,
}

/// Byte files and data keys, by their ids.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Named {
    /// Byte files.
    pub files: HashSet<Uuid>,
    /// Data keys.
    pub keys: HashSet<Uuid>,
}

impl Named {
    /// Returns one data key and no byte file.
    #[must_use]
    pub fn key(id: Uuid) -> Self {
        Self {
            keys: [id].into(),
            ..Self::default()
        }
    }
}
