//! External validators. If one is missing, a test is skipped by name; with
//! `CI=true`, it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memchr::memmem;
use parafa_fixtures::referees::{Dss, PyHanko, openssl_accepts, signed_parts};
use parafa_fixtures::tool;

/// Text found only in files with both kinds of cross-reference (ISO 32000-2,
/// 7.5.8.4).
const HYBRID: &[u8] = b"/XRefStm";

/// All validators for signed PDFs.
pub(crate) struct Referees {
    pyhanko: PyHanko,
    dss: Dss,
    roots: Vec<PathBuf>,
}

impl Referees {
    /// Finds the validators, with these trust anchors, or counts a skip.
    pub(crate) fn find(roots: &[PathBuf]) -> Option<Self> {
        for program in ["openssl", "qpdf"] {
            tool::program(program)?;
        }
        Some(Self {
            pyhanko: PyHanko::find(roots)?,
            dss: Dss::find(roots)?,
            roots: roots.to_vec(),
        })
    }

    /// Asserts that every validator finds this many valid PAdES-B-T signatures,
    /// checking revocation online.
    pub(crate) fn assert_baseline_t(&self, document: &[u8], signatures: usize) {
        // pyHanko reads hybrid files only leniently.
        let is_hybrid = memmem::find(document, HYBRID).is_some();
        self.assert_level(
            document,
            signatures,
            "T",
            if is_hybrid { &["--lenient"] } else { &[] },
            &["--online-loopback"],
        );
        let parts = signed_parts(document, 0);
        assert_eq!(parts.len(), signatures);
        for part in parts {
            assert_eq!(openssl_accepts(&part, &self.roots), Ok(()));
        }
    }

    /// Asserts that every validator finds this many valid PAdES-B-LT
    /// signatures, using only data in the document.
    pub(crate) fn assert_baseline_lt(&self, document: &[u8], signatures: usize) {
        self.assert_level(document, signatures, "LT", &["--offline"], &[]);
    }

    fn assert_level(
        &self,
        document: &[u8],
        signatures: usize,
        level: &str,
        pyhanko_options: &[&str],
        dss_options: &[&str],
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("signed.pdf");
        fs::write(&file, document).expect("a file");
        assert_qpdf_is_content(&file);

        let pyhanko = self.pyhanko.verdict(&file, pyhanko_options);
        assert!(pyhanko.ok, "pyHanko: {pyhanko:#?}");
        assert_eq!(pyhanko.signatures.len(), signatures, "{pyhanko:#?}");
        for signature in &pyhanko.signatures {
            assert_eq!(
                signature.level.as_deref(),
                Some(&*format!("B-{level}")),
                "pyHanko: {signature:#?}"
            );
            assert_eq!(
                signature.sub_filter.as_deref(),
                Some("/ETSI.CAdES.detached")
            );
        }

        let options = [&["--level", level], dss_options].concat();
        let dss = self.dss.verdict(&file, &options);
        assert!(dss.ok, "DSS: {dss:#?}");
        assert_eq!(dss.signatures.len(), signatures, "DSS: {dss:#?}");
        for signature in &dss.signatures {
            assert_eq!(signature.indication, "TOTAL_PASSED", "DSS: {dss:#?}");
            assert_eq!(signature.level, format!("PAdES-BASELINE-{level}"));
        }
    }

    /// Returns whether pyHanko accepts the document with only the data in it.
    pub(crate) fn verifies_offline(&self, document: &[u8]) -> bool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("signed.pdf");
        fs::write(&file, document).expect("a file");
        self.pyhanko.verdict(&file, &["--offline"]).ok
    }
}

/// Returns the text of a PDF by pdftotext, with a form feed after each page, or
/// counts a skip.
pub(crate) fn text_of(document: &[u8]) -> Option<String> {
    let pdftotext = tool::program("pdftotext")?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("document.pdf");
    fs::write(&file, document).expect("a file");
    let mut command = Command::new(pdftotext);
    let command = command.args(["-layout", "-enc", "UTF-8"]).arg(&file);
    let output = command.arg("-").output().expect("pdftotext runs");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

fn assert_qpdf_is_content(file: &Path) {
    let checked = Command::new("qpdf")
        .arg("--check")
        .arg(file)
        .output()
        .expect("qpdf runs");
    assert!(
        checked.status.success(),
        "qpdf: {}{}",
        String::from_utf8_lossy(&checked.stdout),
        String::from_utf8_lossy(&checked.stderr)
    );
}
