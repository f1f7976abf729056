use std::fs;
use std::path::Path;
use std::process::Command;

use parafa_fixtures::referees::installed;
use parafa_plugin_host::{Answer, NeedKind};

/// Returns the row printed by pyHanko's script. `None` if pyHanko is not
/// installed, or if the document has more than one signature: pyHanko archives
/// one at a time.
pub(crate) fn measure(document: &[u8], answers: &[Answer], runs: usize) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = installed("venv/bin/python");
    let folder = tempfile::tempdir().ok()?;
    write(folder.path(), document, answers).expect("a folder to write to");
    let output = Command::new(python)
        .arg(root.join("benches/archiving/pyhanko_step.py"))
        .arg(folder.path())
        .arg(runs.to_string())
        .output()
        .ok()?;
    let row = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!row.is_empty()).then_some(row)
}

/// Writes the document, and the answers with their kind in the file name.
fn write(folder: &Path, document: &[u8], answers: &[Answer]) -> std::io::Result<()> {
    fs::write(folder.join("document.pdf"), document)?;
    for (number, answer) in answers.iter().enumerate() {
        let (kind, der) = match (&answer.outcome, answer.need.kind) {
            (Ok(response), NeedKind::Revocation) => ("ocsp", response.as_slice()),
            (Ok(issuer), _) => ("cert", issuer.as_slice()),
            // A trust anchor.
            (Err(_), _) => ("root", answer.need.payload.as_bytes().unwrap()),
        };
        fs::write(folder.join(format!("{number}.{kind}")), der)?;
    }
    Ok(())
}
