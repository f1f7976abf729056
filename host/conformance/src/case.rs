use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parafa_plugin_host::{Parameter, TargetLevel};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::case_files::CaseFiles;
use crate::{Expectation, Operation, SignedBy, SignerAlgorithm};

/// File name of a case's description.
pub(crate) const DESCRIPTION: &str = "case.toml";

/// A document, and a plugin's expected answers to it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of its folder.
    pub name: String,
    /// Origin of the document.
    pub origin: String,
    /// SPDX identifier of the licence that it is used under.
    pub licence: String,
    /// File name of the document.
    pub input: String,
    /// The document.
    pub document: Bytes,
    /// Files beside the document, by name, which its detached signatures cover.
    pub beside: Vec<(String, Bytes)>,
    /// Checks of the plugin.
    pub checks: Vec<Check>,
}

/// One check of a case.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The plugin's operation under test.
    pub operation: Operation,
    /// Number of signers, one after the other. Of `sign`, one by default; of `archive`, those who
    /// sign before it to level B-T, none by default.
    pub signers: Option<u8>,
    /// Target level of `sign`, B-B by default, or `archive`, B-LT by default.
    pub target: Option<TargetLevel>,
    /// The signers' algorithm; ECDSA-SHA256 by default.
    pub algorithm: Option<SignerAlgorithm>,
    /// Kind of the signers; persons by default.
    pub by: Option<SignedBy>,
    /// File names given to `compose`, each with the bytes of the document; by default the one file
    /// of the case.
    pub files: Option<Vec<String>>,
    /// The parameters of `compose`.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Expected answer; with several signers, to the last one.
    pub expect: Expectation,
}

/// Reason why a case cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        #[source]
        source: io::Error,
    },
    /// The description cannot be used.
    #[error("{} is not a description of a case", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A file is missing. It may be too large to be part of the repository.
    #[error("{} is not there", .0.display())]
    NoDocument(PathBuf),
    /// A file differs from its description.
    #[error("case.toml expects the SHA-256 {expected} of {file}, which has {actual}")]
    OtherDocument {
        /// Its name.
        file: String,
        /// The SHA-256 in the description.
        expected: String,
        /// Its SHA-256, in hex digits.
        actual: String,
    },
    /// A file beside the document is named by a path.
    #[error("{0:?} in [[beside]] is no file name")]
    NotAFileName(String),
    /// Two files beside the document have one name.
    #[error("{0:?} is in [[beside]] twice")]
    NamedTwice(String),
    /// The expectation names something that the operation does not report.
    #[error("{operation} reports no {what}")]
    Untold {
        /// The operation.
        operation: Operation,
        /// The member that it does not report.
        what: &'static str,
    },
}

/// `case.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    origin: String,
    licence: String,
    input: String,
    sha256: String,
    #[serde(default)]
    beside: Vec<Beside>,
    checks: Vec<Check>,
}

/// A file beside the document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    file: String,
    sha256: String,
}

impl Case {
    /// Reads the case in `folder`.
    ///
    /// # Errors
    ///
    /// When its description or one of its files cannot be read, or the two disagree.
    pub fn load(folder: &Path) -> Result<Self, CaseError> {
        Self::read(&CaseFiles::Folder(folder.to_owned()))
    }

    pub(crate) fn read(place: &CaseFiles) -> Result<Self, CaseError> {
        let path = place.path_of(DESCRIPTION);
        let bytes = place.read(DESCRIPTION).map_err(|source| CaseError::Io {
            path: path.clone(),
            source,
        })?;
        let description: Description =
            toml::from_slice(&bytes).map_err(|source| CaseError::Malformed {
                path,
                source: Box::new(source),
            })?;
        for check in &description.checks {
            check.can_be_told()?;
        }
        check_names(&description.beside)?;
        let document = read_document(place, &description.input, &description.sha256)?;
        let beside = description
            .beside
            .into_iter()
            .map(|Beside { file, sha256 }| {
                let content = read_document(place, &file, &sha256)?;
                Ok((file, content))
            });
        Ok(Self {
            name: place.name(),
            origin: description.origin,
            licence: description.licence,
            input: description.input,
            document,
            beside: beside.collect::<Result<_, CaseError>>()?,
            checks: description.checks,
        })
    }
}

impl Check {
    /// A check with only an operation and its expectation.
    pub(crate) fn of(operation: Operation, expect: Expectation) -> Self {
        Self {
            operation,
            signers: None,
            target: None,
            algorithm: None,
            by: None,
            files: None,
            params: BTreeMap::new(),
            expect,
        }
    }

    /// Number of signers before, or in, the operation.
    pub(crate) fn signers(&self) -> usize {
        let default = u8::from(self.operation == Operation::Sign);
        usize::from(self.signers.unwrap_or(default))
    }

    /// The level of the operation.
    pub(crate) fn level(&self) -> TargetLevel {
        let default = match self.operation {
            Operation::Archive => TargetLevel::BLt,
            _ => TargetLevel::BB,
        };
        self.target.unwrap_or(default)
    }

    /// The level of the signatures before the operation.
    pub(crate) fn level_before(&self) -> TargetLevel {
        self.level().min(TargetLevel::BT)
    }

    /// Kind of the signers.
    pub(crate) fn by(&self) -> SignedBy {
        self.by.unwrap_or_default()
    }

    /// Names of the files for `compose`; by default the one of the case's file.
    pub(crate) fn names(&self, input: &str) -> Vec<String> {
        let names = self.files.clone();
        names.unwrap_or_else(|| vec![input.to_owned()])
    }

    /// The parameters of `compose`.
    pub(crate) fn params(&self) -> Vec<Parameter> {
        let params = self.params.clone().into_iter();
        params
            .map(|(name, value)| Parameter { name, value })
            .collect()
    }

    /// The signers' algorithm.
    pub(crate) fn algorithm(&self) -> SignerAlgorithm {
        self.algorithm.unwrap_or_default()
    }

    fn can_be_told(&self) -> Result<(), CaseError> {
        let is_sign = self.operation == Operation::Sign;
        let composes = self.operation == Operation::Compose;
        let levels = self.operation.levels();
        let asks = [
            (
                "signers",
                match self.signers {
                    None => true,
                    Some(0) => self.operation == Operation::Archive,
                    Some(_) => is_sign || self.operation == Operation::Archive,
                },
            ),
            (
                "target level",
                self.target.is_none_or(|level| levels.contains(&level)),
            ),
            ("algorithm", self.algorithm.is_none() || self.signers() > 0),
            ("signers", self.by.is_none() || self.signers() > 0),
            ("files", composes || self.files.is_none()),
            ("parameters", composes || self.params.is_empty()),
        ];
        let unasked = asks.into_iter().find(|(_, fits)| !fits);
        let untold = self.expect.untold_by(self.operation);
        match untold.or(unasked.map(|(what, _)| what)) {
            Some(what) => Err(CaseError::Untold {
                operation: self.operation,
                what,
            }),
            None => Ok(()),
        }
    }
}

/// Checks that files beside the document have unique names without folders.
fn check_names(beside: &[Beside]) -> Result<(), CaseError> {
    let mut names = BTreeSet::new();
    for Beside { file, .. } in beside {
        if file.contains('\\') || Path::new(file).file_name() != Some(OsStr::new(file)) {
            return Err(CaseError::NotAFileName(file.clone()));
        }
        if !names.insert(file) {
            return Err(CaseError::NamedTwice(file.clone()));
        }
    }
    Ok(())
}

fn read_document(place: &CaseFiles, file: &str, sha256: &str) -> Result<Bytes, CaseError> {
    let document = place.read(file).map_err(|source| {
        let path = place.path_of(file);
        match source.kind() {
            io::ErrorKind::NotFound => CaseError::NoDocument(path),
            _ => CaseError::Io { path, source },
        }
    })?;
    let actual = hex::encode(Sha256::digest(&document));
    if actual == sha256 {
        Ok(document)
    } else {
        Err(CaseError::OtherDocument {
            file: file.to_owned(),
            expected: sha256.to_owned(),
            actual,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Acceptance, ExpectedRefusal};

    const DESCRIPTION_OF_A: &str = r#"
        origin = "written for this test"
        licence = "Apache-2.0"
        input = "input.txt"
        sha256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

        [[checks]]
        operation = "inspect"
        expect.accepted = { notes = ["javascript"] }

        [[checks]]
        operation = "sign"
        signers = 2
        target = "B-T"
        algorithm = "RSA-PKCS1-SHA256"
        by = "key"
        expect.refused = "no-room"

        [[checks]]
        operation = "compose"
        files = ["a.txt", "b.txt"]
        params = { title = "A" }
        expect.refused = { code = "empty-member", subjects = ["a.txt"] }
    "#;

    fn load(description: &str, document: Option<&str>) -> Result<Case, CaseError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(super::DESCRIPTION), description).unwrap();
        if let Some(document) = document {
            fs::write(folder.path().join("input.txt"), document).unwrap();
        }
        Case::load(folder.path())
    }

    #[test]
    fn a_case_is_read() {
        let case = load(DESCRIPTION_OF_A, Some("a")).unwrap();

        assert_eq!(case.document, "a");
        assert_eq!(
            case.checks,
            [
                Check::of(
                    Operation::Inspect,
                    Expectation::Accepted(Box::new(Acceptance {
                        notes: Some(vec!["javascript".into()]),
                        ..Acceptance::default()
                    }))
                ),
                Check {
                    signers: Some(2),
                    target: Some(TargetLevel::BT),
                    algorithm: Some(SignerAlgorithm::RsaPkcs1Sha256),
                    by: Some(SignedBy::Key),
                    ..Check::of(
                        Operation::Sign,
                        Expectation::Refused(ExpectedRefusal {
                            code: "no-room".into(),
                            subjects: None,
                        })
                    )
                },
                Check {
                    files: Some(vec!["a.txt".into(), "b.txt".into()]),
                    params: [("title".into(), "A".into())].into(),
                    ..Check::of(
                        Operation::Compose,
                        Expectation::Refused(ExpectedRefusal {
                            code: "empty-member".into(),
                            subjects: Some(vec!["a.txt".into()]),
                        })
                    )
                },
            ]
        );
    }

    #[test]
    fn another_document_is_noticed() {
        let digest = |document: &str| hex::encode(Sha256::digest(document));
        assert_eq!(
            load(DESCRIPTION_OF_A, Some("b")).unwrap_err().to_string(),
            format!(
                "case.toml expects the SHA-256 {} of input.txt, which has {}",
                digest("a"),
                digest("b")
            )
        );
        assert!(matches!(
            load(DESCRIPTION_OF_A, None),
            Err(CaseError::NoDocument(_))
        ));
    }

    #[test]
    fn files_beside_the_document_are_read_and_compared() {
        let beside = |sha256: &str| {
            let rows = format!("[[beside]]\nfile = \"input.txt\"\nsha256 = \"{sha256}\"\n");
            load(&format!("{DESCRIPTION_OF_A}\n{rows}"), Some("a"))
        };
        let sha256 = hex::encode(Sha256::digest("a"));

        let case = beside(&sha256).unwrap();

        assert_eq!(case.beside, [("input.txt".to_owned(), Bytes::from("a"))]);
        assert!(matches!(
            beside("00"),
            Err(CaseError::OtherDocument { file, .. }) if file == "input.txt"
        ));
    }

    #[test]
    fn files_beside_the_document_have_different_names_without_folders() {
        let beside = |files: &[&str]| {
            let rows = files
                .iter()
                .map(|file| format!("[[beside]]\nfile = '{file}'\nsha256 = \"00\"\n"));
            let rows = rows.collect::<Vec<_>>().concat();
            load(&format!("{DESCRIPTION_OF_A}\n{rows}"), Some("a"))
        };

        for path in ["", "..", "../input.txt", "a/input.txt", "a\\input.txt"] {
            assert!(matches!(
                beside(&[path]),
                Err(CaseError::NotAFileName(named)) if named == path
            ));
        }
        assert!(matches!(
            beside(&["input.txt", "input.txt"]),
            Err(CaseError::NamedTwice(named)) if named == "input.txt"
        ));
    }

    #[test]
    fn what_an_operation_does_not_tell_cannot_be_expected_of_it() {
        let of_verify = DESCRIPTION_OF_A.replace("\"inspect\"", "\"verify\"");

        assert!(matches!(
            load(&of_verify, Some("a")),
            Err(CaseError::Untold { what: "notes", .. })
        ));
        let unsigned = DESCRIPTION_OF_A.replace("signers = 2", "signers = 0");
        assert!(matches!(
            load(&unsigned, Some("a")),
            Err(CaseError::Untold {
                what: "signers",
                ..
            })
        ));
    }

    #[test]
    fn what_an_operation_is_not_given_cannot_be_named_for_it() {
        for (given, what) in [
            ("algorithm = \"ECDSA-SHA256\"", "algorithm"),
            ("by = \"key\"", "signers"),
            ("target = \"B-B\"", "target level"),
            ("files = [\"a.txt\"]", "files"),
            ("params = { title = \"A\" }", "parameters"),
        ] {
            let inspected = DESCRIPTION_OF_A.replace(
                "operation = \"inspect\"",
                &format!("operation = \"inspect\"\n{given}"),
            );

            let refused = load(&inspected, Some("a"));

            assert!(
                matches!(refused, Err(CaseError::Untold { what: told, .. }) if told == what),
                "{given}: {refused:?}"
            );
        }
    }

    #[test]
    fn each_operation_has_target_levels_of_its_own() {
        for (operation, level, fits) in [
            ("sign", "B-T", true),
            ("sign", "B-LT", false),
            ("archive", "B-T", false),
            ("archive", "B-LT", true),
            ("archive", "B-LTA", true),
        ] {
            let description = DESCRIPTION_OF_A
                .replace(
                    "operation = \"sign\"",
                    &format!("operation = \"{operation}\""),
                )
                .replace("target = \"B-T\"", &format!("target = \"{level}\""));

            let read = load(&description, Some("a"));

            assert_eq!(read.is_ok(), fits, "{operation} to {level}: {read:?}");
        }
    }

    #[test]
    fn no_signer_has_an_unknown_algorithm() {
        let unknown = DESCRIPTION_OF_A.replace("RSA-PKCS1-SHA256", "RSA-RAW");

        assert!(matches!(
            load(&unknown, Some("a")),
            Err(CaseError::Malformed { .. })
        ));
    }
}
