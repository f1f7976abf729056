//! External validators, run on many files at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use parafa_fixtures::referees::{PyHanko, PyHankoVerdict, openssl_accepts, signed_parts};
use parafa_fixtures::tool;
use tempfile::TempDir;

use super::component::PKI;

/// Concurrent validator processes.
const AT_ONCE: usize = 2;

/// pyHanko, OpenSSL and qpdf.
pub(super) struct Judges {
    pyhanko: PyHanko,
    folder: TempDir,
}

/// Findings of qpdf on a file.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Structure {
    exit_code: i32,
    warnings: usize,
}

impl Structure {
    /// No findings.
    pub(super) const SOUND: Self = Self {
        exit_code: 0,
        warnings: 0,
    };
}

impl Judges {
    /// Finds the validators, or counts a skip.
    pub(super) fn find() -> Option<Self> {
        for program in ["openssl", "qpdf"] {
            tool::program(program)?;
        }
        Some(Self {
            pyhanko: PyHanko::find(&roots())?,
            folder: tempfile::tempdir().expect("a temporary folder"),
        })
    }

    /// Writes a document to a file for the validators.
    pub(super) fn file(&self, name: &str, document: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, document).expect("a file");
        path
    }

    /// Returns pyHanko's verdicts, in the order of the files, without checking
    /// revocation. Each must take at most `seconds`. Files that its strict
    /// reader refuses are read leniently.
    pub(super) fn pyhanko(&self, files: &[PathBuf], seconds: u32) -> Vec<PyHankoVerdict> {
        let seconds = seconds.to_string();
        let options = ["--no-revocation", "--lenient", "--seconds", &seconds];
        let shares: Vec<Vec<&PathBuf>> = (0..AT_ONCE)
            .map(|share| files.iter().skip(share).step_by(AT_ONCE).collect())
            .collect();
        let mut judged: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = shares
                .iter()
                .map(|share| scope.spawn(|| self.pyhanko.verdicts(share, &options).into_iter()))
                .collect();
            running
                .into_iter()
                .map(|share| share.join().expect("no panic"))
                .collect()
        });
        (0..files.len())
            .map(|index| {
                judged[index % AT_ONCE]
                    .next()
                    .expect("a verdict for every file")
            })
            .collect()
    }

    /// Returns the findings of `qpdf --check`.
    pub(super) fn qpdf(&self, file: &Path) -> Structure {
        let output = Command::new("qpdf")
            .arg("--check")
            .arg(file)
            .output()
            .expect("qpdf runs");
        let said = String::from_utf8_lossy(&output.stderr);
        Structure {
            exit_code: output.status.code().expect("qpdf is not killed"),
            warnings: said.matches("WARNING").count(),
        }
    }

    /// Verifies the signature appended to a document of `len` bytes by `openssl
    /// cms -verify -cades`; it must cover the whole output. The error is the
    /// program's output.
    pub(super) fn openssl(document: &[u8], len: usize) -> Result<(), String> {
        let parts = signed_parts(document, len);
        assert_eq!(parts.len(), 1, "signatures that were appended");
        assert_eq!(parts[0].end, document.len());
        openssl_accepts(&parts[0], &roots())
    }
}

fn roots() -> [PathBuf; 1] {
    [PKI.folder().join("root.pem")]
}
