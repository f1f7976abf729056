//! Validators that other people made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::tool::{or_skip, program};

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

fn written(document: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    file
}
