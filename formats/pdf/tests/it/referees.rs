//! Validators that other people made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use openssl::x509::X509;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::tool::{or_skip, program};
use tempfile::TempDir;

use crate::ceremony::PKI;
use crate::pki::openssl;

/// `openssl cms` must find every signature sound, as CAdES too.
pub(crate) fn assert_openssl_accepts(document: &[u8]) {
    let folder = PKI.folder();
    for (index, (covered, cms)) in split(document).iter().enumerate() {
        let (content, signature) = (format!("{index}.tbs"), format!("{index}.der"));
        let work = tempfile::tempdir_in(folder).unwrap();
        fs::write(work.path().join(&content), covered).unwrap();
        fs::write(work.path().join(&signature), cms).unwrap();
        let said = openssl(
            work.path(),
            &[
                "cms",
                "-verify",
                "-cades",
                "-binary",
                "-inform",
                "DER",
                "-in",
                &signature,
                "-content",
                &content,
                "-CAfile",
                "../root.pem",
                "-purpose",
                "any",
                "-out",
                "verified",
            ],
        );
        assert!(said.contains("CAdES Verification successful"), "{said}");
    }
}

/// qpdf must find nothing to complain about that it did not before.
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

/// pyHanko must find every signature passed, and every later revision
/// harmless to the earlier signatures. Hybrid files need its lenient mode.
pub(crate) fn assert_pyhanko_accepts(document: &[u8], signatures: usize, lenient: bool) {
    let Some((python, script)) = pyhanko() else {
        return;
    };
    let file = written(document);
    let mut command = Command::new(python);
    command
        .arg(script)
        .arg("--norev")
        .arg("--root")
        .arg(PKI.folder().join("root.pem"));
    if lenient {
        command.arg("--lenient");
    }
    let output = command.arg(file.path()).output().unwrap();
    let verdict = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{verdict}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        verdict.matches("\"indication\": \"PASSED\"").count(),
        signatures,
        "{verdict}"
    );
    assert_eq!(
        verdict.matches("\"level\": \"B-T\"").count(),
        signatures,
        "{verdict}"
    );
}

/// Whether pyHanko finds every signature passed with nothing but what the
/// document holds; `None` without pyHanko.
pub(crate) fn pyhanko_is_content_alone(document: &[u8], lenient: bool) -> Option<bool> {
    pyhanko_is_content_with(document, &[PKI.folder().join("root.pem")], lenient)
}

/// The same with other anchors than the root.
pub(crate) fn pyhanko_is_content_with(
    document: &[u8],
    anchors: &[PathBuf],
    lenient: bool,
) -> Option<bool> {
    let mut command = pyhanko_command(anchors)?;
    command.arg("--offline");
    if lenient {
        command.arg("--lenient");
    }
    let output = command.arg(written(document).path()).output().unwrap();
    let verdict = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(verdict.contains("\"signatures\""), "{verdict}");
    println!("{verdict}");
    Some(output.status.success())
}

/// Whether pyHanko finds every signature passed, with the certificates of a
/// folder as anchors and revocation left aside; `None` without pyHanko.
pub(crate) fn pyhanko_verdict(document: &Path, anchors: &Path) -> Option<bool> {
    let anchors = fs::read_dir(anchors).unwrap();
    let anchors: Vec<PathBuf> = anchors.map(|entry| entry.unwrap().path()).collect();
    let mut command = pyhanko_command(&anchors)?;
    let output = command.arg("--norev").arg(document).output().unwrap();
    Some(output.status.success())
}

/// What pyHanko says was changed after each signature, its `ModificationLevel`:
/// document time-stamps are not among them; `None` without pyHanko.
pub(crate) fn pyhanko_modifications(document: &Path, anchors: &Path) -> Option<Vec<String>> {
    let anchors = fs::read_dir(anchors).unwrap();
    let anchors: Vec<PathBuf> = anchors.map(|entry| entry.unwrap().path()).collect();
    let mut command = pyhanko_command(&anchors)?;
    let output = command.arg("--norev").arg(document).output().unwrap();
    let verdict = String::from_utf8_lossy(&output.stdout).into_owned();
    let levels = verdict.split("\"modification\": ").skip(1);
    let levels = levels.map(|rest| rest.split([',', '\n']).next().unwrap());
    Some(levels.map(|level| level.replace('"', "")).collect())
}

/// Whether pyHanko finds every signature passed, revocation left aside; `None`
/// without pyHanko.
pub(crate) fn pyhanko_passes(document: &[u8]) -> Option<bool> {
    let mut command = pyhanko_command(&[PKI.folder().join("root.pem")])?;
    let output = command
        .arg("--norev")
        .arg(written(document).path())
        .output()
        .unwrap();
    Some(output.status.success())
}

/// The same for a document of the fixtures' signers.
pub(crate) fn pyhanko_passes_fixture(document: &[u8]) -> Option<bool> {
    pyhanko_verdict(written(document).path(), fixture_anchors().path())
}

/// Every signer of the fixtures, in files of their own.
pub(crate) fn fixture_anchors() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for identity in [Identity::Ona, Identity::Jonas, Identity::Clock] {
        let certificate = X509::from_der(&identity.certificate()).unwrap();
        let file = folder.path().join(format!("{identity:?}.pem"));
        fs::write(file, certificate.to_pem().unwrap()).unwrap();
    }
    folder
}

/// Whether the EU's reference validator finds every signature of every document
/// passed at level B-LT, with nothing but what the document holds; `None`
/// without it.
pub(crate) fn dss_is_content_alone(documents: &[&[u8]]) -> Option<Vec<bool>> {
    let files: Vec<_> = documents.iter().map(|document| written(document)).collect();
    let paths: Vec<&Path> = files.iter().map(tempfile::NamedTempFile::path).collect();
    dss_verdicts(&paths, &PKI.folder().join("root.pem"), &["--level", "LT"])
}

/// Whether the EU's reference validator finds every signature of every document
/// passed, without a network; `None` without it.
pub(crate) fn dss_verdicts(
    documents: &[&Path],
    anchors: &Path,
    options: &[&str],
) -> Option<Vec<bool>> {
    let verdicts = dss_reports(documents, anchors, options)?;
    let passed = verdicts.iter().map(|verdict| {
        let verdict: String = verdict.split_whitespace().collect();
        verdict.contains("\"ok\":true")
    });
    Some(passed.collect())
}

/// Whether the EU's reference validator passes every time-stamp of every
/// document; `None` without it.
pub(crate) fn dss_passes_timestamps(documents: &[&Path], anchors: &Path) -> Option<Vec<bool>> {
    let reports = dss_reports(documents, anchors, &[])?;
    let passed = reports.iter().map(|report| {
        let mut timestamps = report.split("_TIMESTAMP\", \"indication\": \"").skip(1);
        timestamps.all(|rest| rest.starts_with("PASSED"))
    });
    Some(passed.collect())
}

/// What the EU's reference validator says of every document, a line each.
fn dss_reports(documents: &[&Path], anchors: &Path, options: &[&str]) -> Option<Vec<String>> {
    let validator = std::env::var_os("PARAFA_REFEREES")
        .map(|folder| Path::new(&folder).join("dss/dss-referee"))
        .filter(|validator| validator.is_file());
    let output = Command::new(or_skip("DSS", validator)?)
        .arg("validate")
        .args(options)
        .arg("--trust")
        .arg(anchors)
        .args(documents)
        .output()
        .unwrap();
    let verdicts = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdicts: Vec<String> = verdicts.lines().map(str::to_owned).collect();
    assert_eq!(
        verdicts.len(),
        documents.len(),
        "{verdicts:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(verdicts)
}

/// The flavour of PDF/A that veraPDF finds each document to have, such as `2b`,
/// or what it says of one that has not what it claims; `None` without it.
pub(crate) fn verapdf_flavours(documents: &[&[u8]]) -> Option<Vec<Result<String, String>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let class_path = std::env::var_os("PARAFA_VERAPDF").map_or_else(
        || root.join("target/referees/verapdf.classpath"),
        PathBuf::from,
    );
    let class_path = or_skip("veraPDF", fs::read_to_string(class_path).ok())?;
    let java = program("java")?;
    let files: Vec<_> = documents.iter().map(|document| written(document)).collect();
    let output = Command::new(java)
        .arg("-cp")
        .arg(class_path.trim())
        .arg(root.join("tests/verapdf/Validate.java"))
        .args(files.iter().map(tempfile::NamedTempFile::path))
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

/// Sample documents of other people, if there are any here.
pub(crate) fn samples() -> Option<PathBuf> {
    or_skip(
        "PARAFA_SAMPLES",
        std::env::var_os("PARAFA_SAMPLES").map(PathBuf::from),
    )
}

/// What each signature covers, and its CMS without padding, taken from the
/// bytes without any knowledge of PDF.
pub(crate) fn split(document: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let text: String = document.iter().copied().map(char::from).collect();
    text.match_indices("/ByteRange [")
        .map(|(at, key)| {
            let numbers = text[at + key.len()..].split(']').next().unwrap();
            let numbers: Vec<usize> = numbers
                .split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect();
            let [0, first_len, second, second_len] = numbers[..] else {
                panic!("{numbers:?}")
            };
            let hex = &document[first_len + 1..second - 1];
            let padded: Vec<u8> = hex
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect();
            let cms_len = 4 + usize::from(u16::from_be_bytes([padded[2], padded[3]]));
            assert_eq!(padded[..2], [0x30, 0x82]);
            let covered = [
                &document[..first_len],
                &document[second..second + second_len],
            ]
            .concat();
            (covered, padded[..cms_len].to_vec())
        })
        .collect()
}

fn pyhanko() -> Option<(PathBuf, PathBuf)> {
    let python = std::env::var_os("PARAFA_PYTHON")
        .map(PathBuf::from)
        .filter(|python| python.is_file());
    let script = std::env::var_os("PARAFA_REFEREES")
        .map(|folder| Path::new(&folder).join("pades_referee.py"));
    or_skip(
        "pyHanko",
        python.zip(script.filter(|script| script.is_file())),
    )
}

fn pyhanko_command(anchors: &[PathBuf]) -> Option<Command> {
    let (python, script) = pyhanko()?;
    let mut command = Command::new(python);
    command.arg(script);
    for anchor in anchors {
        command.arg("--root").arg(anchor);
    }
    Some(command)
}

fn written(document: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    file
}
