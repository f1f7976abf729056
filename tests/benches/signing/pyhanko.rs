use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use parafa_fixtures::referees::{installed, script};
use serde::Deserialize;

use crate::RESERVE;
use crate::documents::DOCUMENTS;
use crate::pki::Pki;

/// Milliseconds of `prepare` and `embed`, by the name of the row.
pub(crate) type Measured = BTreeMap<&'static str, (f64, f64)>;

/// Row of the script's output.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    prepare_ms: f64,
    embed_ms: f64,
}

/// Runs pyHanko's two steps on the same documents; `None` if it is not
/// installed.
pub(crate) fn measure(pki: &Pki) -> Option<Measured> {
    let python = installed("venv/bin/python");
    if !python.is_file() {
        return None;
    }
    let folder = tempfile::tempdir().ok()?;
    let folder = folder.path();
    pki.write(folder);
    let output = Command::new(python)
        .current_dir(folder)
        .arg(script("two_step.py"))
        .args(["--key", "key.pem", "--certificate", "signer.pem"])
        .args(["--issuer", "issuer.pem", "--reserve", &RESERVE.to_string()])
        .args(write_documents(folder))
        .output()
        .ok()?;
    if !output.status.success() {
        eprintln!("pyHanko: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let rows = output.stdout.split(|byte| *byte == b'\n');
    let rows = rows.filter_map(|row| serde_json::from_slice::<Row>(row).ok());
    let rows = rows.map(|row| (row.prepare_ms, row.embed_ms));
    Some(DOCUMENTS.iter().map(|(name, _)| *name).zip(rows).collect())
}

/// Writes a document for each row; returns the names of the files.
fn write_documents(folder: &Path) -> [String; DOCUMENTS.len()] {
    DOCUMENTS.map(|(name, make)| {
        let name = format!("{name}.pdf");
        fs::write(folder.join(&name), make()).expect("a file");
        name
    })
}
