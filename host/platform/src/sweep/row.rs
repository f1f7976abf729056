use std::fmt;

use parafa_store::{Content, Table, TableName};
use serde::{Deserialize, Serialize};

/// What the last sweep left of what no row names. There is one such row at most.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct SweepRow {
    /// Left where it is, because it is so much.
    pub held: Contents,
    /// In quarantine.
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
    /// What operators are to be told of, if there is anything.
    pub fn warning(&self) -> Option<String> {
        let held = self.held;
        (held != Contents::default()).then(|| {
            format!(
                "no row names {held}: rows may be lost, so nothing is removed; bring the records back, or see docs/operating.md and give `parafa sweep --confirm`"
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
