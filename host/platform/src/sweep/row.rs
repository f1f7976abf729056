use std::fmt;

use parafa_store::{Content, Table, TableName};
use serde::{Deserialize, Serialize};

/// Orphans left by the last sweep. There is at most one such row.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct SweepRow {
    /// Orphans left in place, because they exceed the limit.
    pub held: Contents,
    /// Orphans in quarantine.
    pub quarantined: Contents,
}

/// Numbers of byte files and data keys.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Contents {
    /// Byte files.
    pub documents: usize,
    /// The data keys.
    pub keys: usize,
}

impl SweepRow {
    /// Returns a warning for operators, if there is a reason.
    pub fn warning(&self) -> Option<String> {
        let held = self.held;
        (held != Contents::default()).then(|| {
            format!(
                "no row refers to {held}: rows may be lost, so nothing is removed; restore the records, or read docs/operating.md and run `parafa sweep --confirm`"
            )
        })
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, keys } = self;
        let [document, key] = [("document", documents), ("data key", keys)].map(|(one, count)| {
            if *count == 1 {
                one.to_owned()
            } else {
                format!("{one}s")
            }
        });
        write!(formatter, "{documents} {document} and {keys} {key}")
    }
}

impl Table for SweepRow {
    type Key = ();

    const NAME: TableName = TableName::new("sweeps");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}
