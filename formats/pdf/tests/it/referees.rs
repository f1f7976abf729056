//! Independent validators.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use openssl::x509::X509;
use parafa_fixtures::referees::{
    Dss, PyHanko, PyHankoVerdict, files_in, installed, openssl_accepts, script, signed_parts,
};
use parafa_fixtures::signed::Identity;
use parafa_fixtures::tool::{or_skip, program};
use tempfile::{NamedTempFile, TempDir};

use crate::ceremony::PKI;

/// Asserts that `openssl cms` accepts every signature, as CAdES too.
pub(crate) fn assert_openssl_accepts(document: &[u8]) {
    for part in signed_parts(document, 0) {
        assert_eq!(openssl_accepts(&part, &roots()), Ok(()));
    }
}

/// Asserts that qpdf reports no new problem.
pub(crate) fn assert_qpdf_accepts(document: &[u8]) {
    let Some(qpdf) = program("qpdf") else { return };
    let file = written(document);
    let output = Command::new(qpdf)
        .arg("--check")
        .arg(file.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns whether qpdf reports no problem; `None` without qpdf.
pub(crate) fn qpdf_accepts(document: &[u8]) -> Option<bool> {
    let file = written(document);
    let output = Command::new(program("qpdf")?)
        .arg("--check")
        .arg(file.path())
        .output()
        .unwrap();
    Some(output.status.success())
}

/// Asserts that pyHanko accepts every signature, and every later revision with
/// respect to earlier signatures. Hybrid files need its lenient mode.
pub(crate) fn assert_pyhanko_accepts(document: &[u8], signatures: usize, lenient: bool) {
    let options: &[&str] = &["--no-revocation", "--lenient"];
    let Some(verdict) = pyhanko(written(document).path(), &roots(), options) else {
        return;
    };
    assert!(verdict.ok, "{verdict:#?}");
    assert_eq!(verdict.lenient, lenient, "{verdict:#?}");
    assert_eq!(verdict.signatures.len(), signatures, "{verdict:#?}");
    for signature in &verdict.signatures {
        assert_eq!(signature.level.as_deref(), Some("B-T"), "{signature:#?}");
    }
}

/// Returns whether pyHanko accepts every signature using only data in the
/// document; `None` without pyHanko.
pub(crate) fn pyhanko_is_content_alone(document: &[u8], lenient: bool) -> Option<bool> {
    pyhanko_is_content_with(document, &roots(), lenient)
}

/// Like [`pyhanko_is_content_alone`], with other anchors than the root.
pub(crate) fn pyhanko_is_content_with(
    document: &[u8],
    anchors: &[PathBuf],
    lenient: bool,
) -> Option<bool> {
    let options: &[&str] = &["--offline", "--lenient"];
    let verdict = pyhanko(written(document).path(), anchors, options)?;
    assert!(verdict.error.is_none(), "{verdict:#?}");
    assert_eq!(verdict.lenient, lenient, "{verdict:#?}");
    println!("{verdict:#?}");
    Some(verdict.ok)
}

/// Returns pyHanko's verdict on each document, with the certificates of a
/// folder as anchors and without revocation checks; `None` without pyHanko.
pub(crate) fn pyhanko_verdicts(
    documents: &[impl AsRef<Path>],
    anchors: &Path,
) -> Option<Vec<PyHankoVerdict>> {
    let pyhanko = PyHanko::find(&files_in(anchors))?;
    Some(pyhanko.verdicts(documents, &["--no-revocation"]))
}

/// Returns whether pyHanko accepts every signature without revocation checks;
/// `None` without pyHanko.
pub(crate) fn pyhanko_passes(document: &[u8]) -> Option<bool> {
    let verdict = pyhanko(written(document).path(), &roots(), &["--no-revocation"])?;
    Some(verdict.ok)
}

/// Like [`pyhanko_passes`], for a document by signers of the fixtures.
pub(crate) fn pyhanko_passes_fixture(document: &[u8]) -> Option<bool> {
    let folder = fixture_anchors();
    let anchors = files_in(folder.path());
    let verdict = pyhanko(written(document).path(), &anchors, &["--no-revocation"])?;
    Some(verdict.ok)
}

/// Writes every signer of the fixtures to a file of its own.
pub(crate) fn fixture_anchors() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for identity in [Identity::Ona, Identity::Jonas, Identity::Clock] {
        let certificate = X509::from_der(&identity.certificate()).unwrap();
        let file = folder.path().join(format!("{identity:?}.pem"));
        fs::write(file, certificate.to_pem().unwrap()).unwrap();
    }
    folder
}

/// Returns whether the EU's reference validator accepts every signature of
/// every document at level B-LT, using only data in the document; `None`
/// without it.
pub(crate) fn dss_is_content_alone(documents: &[&[u8]]) -> Option<Vec<bool>> {
    let files: Vec<_> = documents.iter().map(|document| written(document)).collect();
    let verdicts = Dss::find(&roots())?.verdicts(&files, &["--level", "LT"]);
    Some(verdicts.iter().map(|verdict| verdict.ok).collect())
}

/// Returns whether the EU's reference validator accepts every signature of
/// every document, without a network; `None` without it.
pub(crate) fn dss_verdicts(documents: &[&Path], anchors: &Path) -> Option<Vec<bool>> {
    let verdicts = Dss::find(&files_in(anchors))?.verdicts(documents, &[]);
    Some(verdicts.iter().map(|verdict| verdict.ok).collect())
}

/// Returns whether the EU's reference validator accepts every time-stamp of
/// every document; `None` without it.
pub(crate) fn dss_passes_timestamps(documents: &[&Path], anchors: &Path) -> Option<Vec<bool>> {
    let verdicts = Dss::find(&files_in(anchors))?.verdicts(documents, &[]);
    let passed = verdicts.iter().map(|verdict| {
        let mut timestamps = verdict.timestamps.iter();
        timestamps.all(|timestamp| timestamp.indication == "PASSED")
    });
    Some(passed.collect())
}

/// Returns the PDF/A flavour that veraPDF detects in each document, such as
/// `2b`, or its report if the claimed flavour is wrong; `None` without it.
pub(crate) fn verapdf_flavours(documents: &[&[u8]]) -> Option<Vec<Result<String, String>>> {
    let class_path = fs::read_to_string(installed("verapdf.classpath"));
    let class_path = or_skip("veraPDF (cargo xtask setup)", class_path.ok())?;
    let java = program("java")?;
    let files: Vec<_> = documents.iter().map(|document| written(document)).collect();
    let output = Command::new(java)
        .arg("-XX:TieredStopAtLevel=1")
        .arg("-cp")
        .arg(class_path.trim())
        .arg(script("verapdf/Validate.java"))
        .args(files.iter().map(NamedTempFile::path))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let flavours = said.lines().map(|line| {
        let compliant = line.strip_prefix("compliant ");
        compliant.map_or_else(
            || Err(line.to_owned()),
            |flavour| Ok(flavour.trim().to_owned()),
        )
    });
    let flavours: Vec<_> = flavours.collect();
    assert_eq!(
        flavours.len(),
        documents.len(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(flavours)
}

fn pyhanko(document: &Path, anchors: &[PathBuf], options: &[&str]) -> Option<PyHankoVerdict> {
    Some(PyHanko::find(anchors)?.verdict(document, options))
}

fn roots() -> [PathBuf; 1] {
    [PKI.folder().join("root.pem")]
}

fn written(document: &[u8]) -> NamedTempFile {
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    file
}
