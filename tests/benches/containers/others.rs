//! Comparison with other programs: xmlsec1, which verifies the files of a
//! container, and the EU's DSS, which signs them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use parafa_fixtures::referees::installed;
use parafa_fixtures::tool::program;
use parafa_format_asice::{extract, members};
use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment};
use serde::Deserialize;
use tempfile::TempDir;

use crate::pki::Pki;

const SIGNATURES: &str = "signatures0.xml";

/// A signed container, unpacked for xmlsec1.
pub(crate) struct Unpacked {
    xmlsec1: PathBuf,
    folder: TempDir,
}

impl Unpacked {
    /// Unpacks a container; `None` if xmlsec1 is not installed.
    pub(crate) fn new(signed: &[u8]) -> Option<Self> {
        let xmlsec1 = program("xmlsec1")?;
        let folder = tempfile::tempdir().ok()?;
        let document = MemoryBlob(signed.to_vec());
        for file in members(&NativeEnvironment, &document).ok()? {
            let mut sink = MemorySink::default();
            extract(&NativeEnvironment, &document, &file.id, &mut sink).ok()?;
            fs::write(folder.path().join(&file.name), sink.0).ok()?;
        }
        fs::write(folder.path().join(SIGNATURES), signature_file(signed)?).ok()?;
        Some(Self { xmlsec1, folder })
    }

    pub(crate) fn verify(&self) {
        let run = Command::new(&self.xmlsec1)
            .current_dir(self.folder.path())
            .args(["--verify", "--insecure", "--enabled-key-data", "x509"])
            .args([
                "--id-attr:Id",
                "http://uri.etsi.org/01903/v1.3.2#:SignedProperties",
            ])
            .arg(SIGNATURES)
            .output()
            .expect("xmlsec1 runs");
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

/// Milliseconds of DSS for one signature, after the virtual machine has warmed
/// up.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DssTimes {
    pub(crate) min_ms: f64,
    pub(crate) median_ms: f64,
}

/// Signs files into a container by DSS; `None` if DSS is not installed.
pub(crate) fn dss(pki: &Pki, files: &[(String, Vec<u8>)]) -> Option<DssTimes> {
    let java = program("java")?;
    let jar = installed("dss/dss-referee.jar");
    let folder = tempfile::tempdir().ok()?;
    pki.write(folder.path());
    for (name, content) in files {
        fs::write(folder.path().join(name), content).ok()?;
    }
    let output = Command::new(java)
        .current_dir(folder.path())
        .arg("-jar")
        .arg(jar)
        .args(["sign", "key.pem", "signer.pem"])
        .args(files.iter().map(|(name, _)| name))
        .output()
        .ok()?;
    let times = serde_json::from_slice(&output.stdout);
    if times.is_err() {
        eprintln!("DSS: {}", String::from_utf8_lossy(&output.stderr));
    }
    times.ok()
}

/// Returns the signature file, which is stored last.
fn signature_file(signed: &[u8]) -> Option<&[u8]> {
    const BEGIN: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<asic:XAdESSignatures";
    const END: &[u8] = b"</asic:XAdESSignatures>";

    let begins = memchr::memmem::rfind(signed, BEGIN)?;
    let file = signed.get(begins..)?;
    file.get(..memchr::memmem::find(file, END)? + END.len())
}
