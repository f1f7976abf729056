//! Imports: from files to a difference.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use openssl::sha::sha256;
use openssl::x509::X509;
use parafa_trust::TrustAnchors;
use serde::Serialize;

use crate::difference::{Comparison, Difference};
use crate::error::{ImportError, ListError};
use crate::folder::{NewFolder, SIGNERS};
use crate::list::{ListKind, MAX_BYTES, TrustedList};
use crate::listed::{Listed, listed};
use crate::manifest::{MANIFEST, Manifest};
use crate::record::{RECORD, Record};

/// Input of an import.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// Lists of services, each of a different territory.
    pub lists: &'a [PathBuf],
    /// The list that names their signers.
    pub list_of_lists: &'a Path,
    /// Files with certificates in PEM; any of these may have signed the list of the lists. If
    /// empty, those of `lotl-signers.pem` in the folder.
    pub signers: &'a [PathBuf],
    /// The folder of anchors.
    pub folder: &'a Path,
    /// True if lists are accepted after their next update was due.
    pub accepts_old: bool,
    /// Current time.
    pub now: Timestamp,
}

/// Contents of the lists, and the resulting changes.
#[derive(Debug)]
pub struct Imported {
    /// The lists that were read, the list of the lists first.
    pub lists: Vec<ListView>,
    /// Differences from the anchors.
    pub difference: Difference,
    /// Faults accepted on request.
    pub warnings: Vec<String>,
    folder: PathBuf,
    listed: Vec<Listed>,
    manifest: Manifest,
    record: Record,
    now: Timestamp,
}

/// A list that was read.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListView {
    /// Territory of the list.
    pub territory: String,
    /// Its number.
    pub sequence: u64,
    /// Time of issue.
    pub issued: Timestamp,
    /// Time of the next update.
    pub next_update: Option<Timestamp>,
    /// SHA-256 of the certificate that signed it.
    pub signer: String,
}

/// Reads lists and compares them with a folder of anchors.
///
/// # Errors
/// A list is not acceptable, or the folder is invalid.
pub fn import(import: &Import<'_>) -> Result<Imported, ImportError> {
    let anchors = TrustAnchors::load(import.folder)?;
    let manifest = Manifest::read(import.folder)?;
    let mut record = Record::read(import.folder)?;
    let mut warnings = Vec::new();
    let list_of_lists = list_of_lists(import)?;
    import.check_time(import.list_of_lists, &list_of_lists, &mut warnings)?;
    record.take(import.list_of_lists, &list_of_lists)?;
    let mut lists = Vec::new();
    let mut territories = BTreeSet::new();
    for path in import.lists {
        let list = TrustedList::read(&read(path)?, ListKind::Services);
        let list = list.map_err(|source| in_file(path, source))?;
        check_signer(path, &list, &list_of_lists)?;
        import.check_time(path, &list, &mut warnings)?;
        if !territories.insert(list.territory.clone()) {
            return Err(ImportError::Repeated {
                path: path.clone(),
                territory: list.territory,
            });
        }
        record.take(path, &list)?;
        lists.push(list);
    }
    let (listed, notes) = listed(&lists);
    let files = manifest.files();
    let comparison = Comparison {
        listed: &listed,
        entries: anchors.entries(),
        files: &files,
        now: import.now,
    };
    let mut difference = comparison.difference();
    difference.notes.extend(notes);
    Ok(Imported {
        lists: [&list_of_lists]
            .into_iter()
            .chain(&lists)
            .map(ListView::of)
            .collect(),
        difference,
        warnings,
        folder: import.folder.to_owned(),
        listed,
        manifest,
        record,
        now: import.now,
    })
}

/// Reads one list of services, whoever signed it, with notes on those that no entry can express.
///
/// # Errors
/// The list is not acceptable.
pub fn read_list(bytes: &[u8]) -> Result<(ListView, Vec<String>), ListError> {
    let list = TrustedList::read(bytes, ListKind::Services)?;
    let (_, notes) = listed(std::slice::from_ref(&list));
    Ok((ListView::of(&list), notes))
}

impl Import<'_> {
    /// Checks that no newer list is due, unless old lists are accepted.
    fn check_time(
        &self,
        path: &Path,
        list: &TrustedList,
        warnings: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let reason = match list.next_update {
            Some(next) if self.now < next => return Ok(()),
            Some(next) => format!("a newer list was due by {next}"),
            None => "the list is closed".to_owned(),
        };
        if !self.accepts_old {
            return Err(ImportError::Old {
                path: path.to_owned(),
                reason,
            });
        }
        warnings.push(format!("{}: {reason}", path.display()));
        Ok(())
    }

    /// DER of the certificates that may sign the list of the lists.
    fn pinned(&self) -> Result<Vec<Vec<u8>>, ImportError> {
        let configured = self.folder.join(SIGNERS);
        let files = match self.signers {
            [] if !configured.is_file() => {
                return Err(ImportError::NoSigners { path: configured });
            }
            [] => std::slice::from_ref(&configured),
            named => named,
        };
        let mut pinned = Vec::new();
        for path in files {
            let unreadable = || ImportError::Signers { path: path.clone() };
            let found = X509::stack_from_pem(&read(path)?).map_err(|_| unreadable())?;
            if found.is_empty() {
                return Err(unreadable());
            }
            for x509 in found {
                pinned.push(x509.to_der().map_err(|_| unreadable())?);
            }
        }
        Ok(pinned)
    }
}

impl Imported {
    /// Makes a folder that is the one of anchors with the difference in it.
    ///
    /// # Errors
    /// There is such a folder, or it cannot be written; nothing is left then.
    pub fn write(&self, to: &Path) -> Result<(), ImportError> {
        let new = NewFolder::make(to)?;
        new.copy_from(&self.folder, &self.manifest.files())?;
        new.add_certificates(&self.difference.added)?;
        let text = self.manifest.with(&self.difference);
        new.write(MANIFEST, text.as_bytes())?;
        new.write(RECORD, self.record.to_string().as_bytes())?;
        self.check(to)?;
        new.keep();
        Ok(())
    }

    /// Checks that the written folder agrees with the lists.
    fn check(&self, folder: &Path) -> Result<(), ImportError> {
        let anchors = TrustAnchors::load(folder).map_err(|_| ImportError::Form)?;
        let files = Manifest::read(folder)?.files();
        let comparison = Comparison {
            listed: &self.listed,
            entries: anchors.entries(),
            files: &files,
            now: self.now,
        };
        if comparison.difference().is_settled() {
            Ok(())
        } else {
            Err(ImportError::Form)
        }
    }
}

impl ListView {
    fn of(list: &TrustedList) -> Self {
        Self {
            territory: list.territory.clone(),
            sequence: list.sequence,
            issued: list.issued,
            next_update: list.next_update,
            signer: fingerprint(&list.signer),
        }
    }
}

/// Reads the list of the lists and checks that its signer is pinned.
fn list_of_lists(import: &Import<'_>) -> Result<TrustedList, ImportError> {
    let path = import.list_of_lists;
    let pinned = import.pinned()?;
    let list = TrustedList::read(&read(path)?, ListKind::Lists);
    let list = list.map_err(|source| in_file(path, source))?;
    if pinned.contains(&list.signer) {
        Ok(list)
    } else {
        Err(ImportError::NotPinned {
            path: path.to_owned(),
            sha256: fingerprint(&list.signer),
        })
    }
}

/// Checks that a list is signed by a signer that the list of the lists names for its territory.
fn check_signer(
    path: &Path,
    list: &TrustedList,
    list_of_lists: &TrustedList,
) -> Result<(), ImportError> {
    let territory = &list.territory;
    let pointers = list_of_lists.pointers.iter();
    let mut signers = pointers
        .filter(|pointer| pointer.territory == *territory)
        .map(|pointer| &pointer.signers)
        .peekable();
    if signers.peek().is_none() {
        return Err(ImportError::NotPointedTo {
            path: path.to_owned(),
            territory: territory.clone(),
        });
    }
    if signers.flatten().any(|signer| *signer == list.signer) {
        return Ok(());
    }
    Err(ImportError::OtherSigner {
        path: path.to_owned(),
        territory: territory.clone(),
        sha256: fingerprint(&list.signer),
    })
}

/// The bytes of a file that is not larger than a list may be.
fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let most = MAX_BYTES as u64;
    let mut bytes = Vec::new();
    let file = fs::File::open(path);
    let read = file.and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|source| ImportError::Read {
        path: path.to_owned(),
        source,
    })?;
    if bytes.len() > MAX_BYTES {
        return Err(ImportError::TooLarge {
            path: path.to_owned(),
            most,
        });
    }
    Ok(bytes)
}

fn in_file(path: &Path, source: ListError) -> ImportError {
    ImportError::List {
        path: path.to_owned(),
        source,
    }
}

fn fingerprint(der: &[u8]) -> String {
    hex::encode_upper(sha256(der))
}
