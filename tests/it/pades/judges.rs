//! Validators that others made, over many files at a time.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use parafa_fixtures::tool;
use serde::Deserialize;
use tempfile::TempDir;

use super::component::PKI;
use crate::support::referee::Tools;
use crate::support::root;

/// Processes that judge at the same time.
const AT_ONCE: usize = 2;

/// pyHanko, OpenSSL and qpdf, ready to judge.
pub(super) struct Judges {
    tools: Tools,
    folder: TempDir,
}

/// What pyHanko says about a file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Verdict {
    /// It takes longer than it may; nothing else is told.
    #[serde(default)]
    pub(super) bounded: bool,
    /// The file is read only when the reader is not strict.
    #[serde(default)]
    pub(super) lenient: bool,
    /// Without the document time-stamps.
    #[serde(default)]
    pub(super) signatures: Vec<SignatureVerdict>,
    /// Why the file cannot be read at all.
    #[serde(rename = "error")]
    _error: Option<String>,
}

/// What pyHanko says about one signature.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignatureVerdict {
    pub(super) field: String,
    pub(super) byte_range: Vec<u64>,
    pub(super) indication: Option<String>,
    pub(super) sub_indication: Option<String>,
    pub(super) coverage: Option<String>,
    /// What later revisions changed; none when that is suspicious.
    pub(super) modification: Option<String>,
    pub(super) docmdp_ok: Option<bool>,
    pub(super) timestamp: Option<serde_json::Value>,
    pub(super) level: Option<String>,
    pub(super) error: Option<String>,
}

/// What qpdf finds wrong about a file.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Structure {
    exit_code: i32,
    warnings: usize,
}

impl Structure {
    /// Nothing is wrong.
    pub(super) const SOUND: Self = Self {
        exit_code: 0,
        warnings: 0,
    };
}

impl Judges {
    /// The judges, or a counted skip.
    pub(super) fn find() -> Option<Self> {
        let tools = Tools::find()?;
        for program in ["openssl", "qpdf"] {
            tool::program(program)?;
        }
        Some(Self {
            tools,
            folder: tempfile::tempdir().expect("a temporary folder"),
        })
    }

    /// Writes a document where the judges can read it.
    pub(super) fn file(&self, name: &str, document: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, document).expect("a file");
        path
    }

    /// pyHanko's verdicts, in the order of the files, without questions about
    /// revocation; none of them may take longer than `seconds`.
    pub(super) fn pyhanko(&self, files: &[PathBuf], seconds: u32) -> Vec<Verdict> {
        let shares: Vec<Vec<&PathBuf>> = (0..AT_ONCE)
            .map(|share| files.iter().skip(share).step_by(AT_ONCE).collect())
            .collect();
        let mut judged: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = shares
                .iter()
                .map(|share| scope.spawn(|| self.judge(share, seconds).into_iter()))
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

    fn judge(&self, files: &[&PathBuf], seconds: u32) -> Vec<Verdict> {
        let mut python = Command::new(&self.tools.python)
            .arg(root().join("tests/it/pades/judge.py"))
            .arg(self.tools.scripts.join("pades_referee.py"))
            .arg(seconds.to_string())
            .args(["--norev", "--root"])
            .arg(PKI.folder().join("root.pem"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let mut input = python.stdin.take().expect("stdin is piped");
        for file in files {
            writeln!(input, "{}", file.display()).expect("Python reads");
        }
        drop(input);
        let output = python.wait_with_output().expect("Python ends");
        assert!(output.status.success(), "the referee failed");
        let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
        lines
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// What `qpdf --check` says.
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

    /// `openssl cms -verify -cades` over the signature in what was appended to
    /// a document of `len` bytes; the error is what it says.
    pub(super) fn openssl(&self, document: &[u8], len: usize) -> Result<(), String> {
        let work = tempfile::tempdir_in(&self.folder).expect("a temporary folder");
        let (covered, cms) = appended_signature(document, len);
        fs::write(work.path().join("covered"), covered).expect("a file");
        fs::write(work.path().join("cms"), cms).expect("a file");
        let output = Command::new("openssl")
            .current_dir(work.path())
            .args(["cms", "-verify", "-cades", "-binary", "-purpose", "any"])
            .args(["-inform", "DER", "-in", "cms", "-content", "covered"])
            .arg("-CAfile")
            .arg(PKI.folder().join("root.pem"))
            .args(["-out", "verified"])
            .output()
            .expect("openssl runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.contains("CAdES Verification successful") {
            Ok(())
        } else {
            Err(said)
        }
    }
}

/// What the signature in the bytes after `len` covers, and its CMS without
/// padding, taken from the bytes without any knowledge of PDF.
fn appended_signature(document: &[u8], len: usize) -> (Vec<u8>, Vec<u8>) {
    const KEY: &[u8] = b"/ByteRange [";

    let update = &document[len..];
    let at = update
        .windows(KEY.len())
        .position(|window| window == KEY)
        .expect("the update has a signature");
    let numbers: Vec<usize> = update[at + KEY.len()..]
        .split(|byte| *byte == b']')
        .next()
        .map(|numbers| std::str::from_utf8(numbers).expect("ASCII"))
        .expect("an array")
        .split_whitespace()
        .map(|number| number.parse().expect("an offset"))
        .collect();
    let [0, first_len, second, second_len] = numbers[..] else {
        panic!("{numbers:?}")
    };
    assert_eq!(second + second_len, document.len());
    let padded = hex::decode(&document[first_len + 1..second - 1]).expect("digits");
    assert_eq!(padded[..2], [0x30, 0x82]);
    let cms_len = 4 + usize::from(u16::from_be_bytes([padded[2], padded[3]]));
    let covered = [&document[..first_len], &document[second..]].concat();
    (covered, padded[..cms_len].to_vec())
}
