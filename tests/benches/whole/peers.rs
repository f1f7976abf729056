//! What others take of the processors for a signature of the same document: pyHanko, and the EU's
//! DSS. Each signs in a process of its own, from memory to memory, at level B-B, by a P-256 key in a
//! file: nobody is asked, nothing is stored. What is counted begins when it is warm, and is all that
//! the process takes, collecting garbage too.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use parafa_fixtures::PdfBuilder;
use parafa_fixtures::referees::{installed, script};
use parafa_fixtures::tool::program;
use serde::Deserialize;

use crate::pki::Pki;

/// The document that is signed.
const DOCUMENT: &str = "document.pdf";

/// Somebody else who signs.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// The command that signs the document of its folder so often before anything counts, and as
    /// often again; none where it is not here.
    command: fn(runs: &str) -> Option<Command>,
}

/// What a peer prints.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    processor_ms: f64,
}

/// All of them.
pub(crate) const PEERS: [Peer; 2] = [
    Peer {
        name: "pyHanko",
        command: pyhanko,
    },
    Peer {
        name: "DSS",
        command: dss,
    },
];

impl Peer {
    /// Milliseconds of the processors for a signature of a document of so many bytes, or why they
    /// are not known.
    pub(crate) fn measure(&self, bytes: usize, runs: usize) -> Result<f64, &'static str> {
        let mut command = (self.command)(&runs.to_string()).ok_or("not installed")?;
        let folder = tempfile::tempdir().expect("a folder");
        Pki::new().write(folder.path());
        let document = PdfBuilder::new().build_of_size(bytes);
        fs::write(folder.path().join(DOCUMENT), document).expect("a file");
        let output = command.current_dir(folder.path()).output();
        let output = output.map_err(|_| "not installed")?;
        let printed = serde_json::from_slice::<Printed>(&output.stdout);
        let printed = printed.map_err(|_| {
            eprintln!("{}: {}", self.name, String::from_utf8_lossy(&output.stderr));
            "failed"
        })?;
        Ok(printed.processor_ms)
    }
}

fn pyhanko(runs: &str) -> Option<Command> {
    let python = is_there(installed("venv/bin/python"))?;
    let mut command = Command::new(python);
    command
        .arg(script("two_step.py"))
        .args(["--key", "key.pem", "--certificate", "signer.pem"])
        .args(["--issuer", "issuer.pem", "--runs", runs, DOCUMENT]);
    Some(command)
}

fn dss(runs: &str) -> Option<Command> {
    let jar = is_there(installed("dss/dss-referee.jar"))?;
    let mut command = Command::new(program("java")?);
    command
        .arg("-jar")
        .arg(jar)
        .args(["sign-pdf", "key.pem", "signer.pem", runs, DOCUMENT]);
    Some(command)
}

fn is_there(file: PathBuf) -> Option<PathBuf> {
    file.is_file().then_some(file)
}
