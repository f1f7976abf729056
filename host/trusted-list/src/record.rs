//! Record of the lists imported last, so that older ones are refused.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::{fmt, fs};

use jiff::Timestamp;
use serde::Deserialize;

use crate::error::ImportError;
use crate::list::TrustedList;

/// Name of the file, beside `trust.toml`.
pub(crate) const RECORD: &str = "trusted-lists.toml";

/// The last list of each territory.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Record(BTreeMap<String, Recorded>);

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    sequence: u64,
    issued: Timestamp,
}

impl Record {
    /// Reads the record of a folder; empty if nothing was imported before.
    pub(crate) fn read(folder: &Path) -> Result<Self, ImportError> {
        let path = folder.join(RECORD);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ImportError::Read { path, source }),
            Ok(text) => text,
        };
        toml::from_str(&text).map_err(|source| ImportError::Malformed {
            path,
            source: Box::new(source),
        })
    }

    /// Records a list, unless it is older than the one before.
    pub(crate) fn take(&mut self, path: &Path, list: &TrustedList) -> Result<(), ImportError> {
        let taken = Recorded {
            sequence: list.sequence,
            issued: list.issued,
        };
        let before = self.0.insert(list.territory.clone(), taken);
        match before {
            Some(before) if list.sequence < before.sequence => Err(ImportError::Behind {
                path: path.to_owned(),
                territory: list.territory.clone(),
                sequence: list.sequence,
                recorded: before.sequence,
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# The trusted lists that `parafa trust import` has read last. It refuses older ones."
        )?;
        for (territory, recorded) in &self.0 {
            let Recorded { sequence, issued } = recorded;
            write!(
                f,
                "\n[{territory}]\nsequence = {sequence}\nissued = \"{issued}\"\n"
            )?;
        }
        Ok(())
    }
}
