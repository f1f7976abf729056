//! CPU time of other programs for a signature of the same document: pyHanko,
//! and the EU's DSS. Each signs in a process of its own, from memory to memory,
//! without network or storage. The signature is at level B-B, with a P-256 key
//! in a file. Counting begins after a warm-up, and includes all of the process,
//! such as garbage collection.

use std::fs;
use std::process::Command;

use parafa_fixtures::PdfBuilder;
use parafa_fixtures::referees::{installed, script};
use serde_json::Value;

use crate::pki::Pki;

/// File name of the document to sign.
const DOCUMENT: &str = "document.pdf";

/// Command that signs the document of its folder `runs` times as a warm-up, and
/// as many times counted.
type Peer = fn(runs: &str) -> Command;

/// All peers, by name.
pub(crate) const PEERS: [(&str, Peer); 2] = [("pyHanko", pyhanko), ("DSS", dss)];

/// Returns the CPU milliseconds per signature of a document of this many bytes;
/// `None` if the peer is not installed.
pub(crate) fn measure(peer: Peer, bytes: usize, runs: usize) -> Option<f64> {
    let folder = tempfile::tempdir().expect("a folder");
    Pki::new().write(folder.path());
    let document = PdfBuilder::new().build_of_size(bytes);
    fs::write(folder.path().join(DOCUMENT), document).expect("a file");
    let mut command = peer(&runs.to_string());
    let output = command.current_dir(folder.path()).output().ok()?;
    let printed: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    if printed.is_none() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    printed?["processorMs"].as_f64()
}

fn pyhanko(runs: &str) -> Command {
    let mut command = Command::new(installed("venv/bin/python"));
    command
        .arg(script("two_step.py"))
        .args(["--key", "key.pem", "--certificate", "signer.pem"])
        .args(["--issuer", "issuer.pem", "--runs", runs, DOCUMENT]);
    command
}

fn dss(runs: &str) -> Command {
    let mut command = Command::new("java");
    command
        .arg("-jar")
        .arg(installed("dss/dss-referee.jar"))
        .args(["sign-pdf", "key.pem", "signer.pem", runs, DOCUMENT]);
    command
}
