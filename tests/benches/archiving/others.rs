use std::fs;
use std::path::Path;
use std::process::Command;

use parafa_fixtures::referees::installed;
use parafa_plugin_host::{Answer, NeedKind};

/// The row that pyHanko's script prints; none when it is not here, or the
/// document has more signatures than one: it adds what one needs at a time.
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

/// The document, and the answers by what they are.
fn write(folder: &Path, document: &[u8], answers: &[Answer]) -> std::io::Result<()> {
    fs::write(folder.join("document.pdf"), document)?;
    for (number, answer) in answers.iter().enumerate() {
        let (kind, der) = match (&answer.outcome, answer.need.kind) {
            (Ok(response), NeedKind::Revocation) => ("ocsp", response.as_slice()),
            (Ok(issuer), _) => ("cert", issuer.as_slice()),
            // A certificate with which chains may end.
            (Err(_), _) => ("root", answer.need.payload.as_bytes().unwrap()),
        };
        fs::write(folder.join(format!("{number}.{kind}")), der)?;
    }
    Ok(())
}
