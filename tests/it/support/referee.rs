//! Validators that others made. Where they are missing a test is skipped by
//! name; where `CI=true` it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use parafa_fixtures::tool;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

use super::{folder, root};

/// What only files with both kinds of cross-reference have (ISO 32000-2, 7.5.8.4).
const HYBRID: &[u8] = b"/XRefStm";

/// The referees, ready to judge.
pub(crate) struct Referees {
    tools: Tools,
    roots: Vec<PathBuf>,
}

/// The scripts of the referees, and the Python that runs them.
pub(crate) struct Tools {
    /// The folder of the scripts.
    pub(crate) scripts: PathBuf,
    /// With pyHanko installed.
    pub(crate) python: PathBuf,
}

impl Tools {
    /// Where they are, or a counted skip.
    pub(crate) fn find() -> Option<Self> {
        let scripts = tool::or_skip("the referee folder", folder("PARAFA_REFEREES"))?;
        Some(Self {
            scripts,
            python: python()?,
        })
    }
}

/// The Python with the packages of `tests/referees.txt`, or a counted skip.
pub(crate) fn python() -> Option<PathBuf> {
    let python = std::env::var_os("PARAFA_PYTHON").map_or_else(
        || root().join("target/referees/venv/bin/python"),
        PathBuf::from,
    );
    tool::or_skip(
        "the referees' Python (cargo xtask setup)",
        python.is_file().then_some(python),
    )
}

impl Referees {
    /// With these trust anchors, or a counted skip.
    pub(crate) fn find(roots: &[PathBuf]) -> Option<Self> {
        let tools = Tools::find()?;
        for program in ["java", "openssl", "qpdf"] {
            tool::program(program)?;
        }
        Some(Self {
            tools,
            roots: roots.to_vec(),
        })
    }

    /// Every referee finds this many sound PAdES-B-T signatures.
    pub(crate) fn assert_baseline_t(&self, document: &[u8], signatures: usize) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("signed.pdf");
        fs::write(&file, document).expect("a file");

        let structure = run(Command::new("qpdf").arg("--check").arg(&file));
        assert!(structure.status.success(), "qpdf: {}", text(&structure));

        let hybrid = document
            .windows(HYBRID.len())
            .any(|window| window == HYBRID);
        // Hybrid files it judges only when told to.
        let options: &[&str] = if hybrid { &["--lenient"] } else { &[] };
        let pyhanko = self.pyhanko(&file, options);
        assert!(pyhanko.ok, "pyHanko: {pyhanko:#?}");
        assert_eq!(
            pyhanko.signatures.len(),
            signatures,
            "pyHanko: {pyhanko:#?}"
        );
        for signature in &pyhanko.signatures {
            assert_eq!(
                signature.level.as_deref(),
                Some("B-T"),
                "pyHanko: {signature:#?}"
            );
            assert_eq!(signature.sub_filter, "/ETSI.CAdES.detached");
        }

        let dss = self.dss(&file, "T");
        assert!(dss.ok, "DSS: {dss:#?}");
        assert_eq!(dss.signatures.len(), signatures, "DSS: {dss:#?}");
        for signature in &dss.signatures {
            assert_eq!(signature.indication, "TOTAL_PASSED", "DSS: {dss:#?}");
            assert_eq!(signature.level, "PAdES-BASELINE-T", "DSS: {dss:#?}");
        }

        self.assert_cms(&folder, &file, signatures);
    }

    /// Every referee finds this many sound PAdES-B-LT signatures, with what the
    /// document holds alone.
    pub(crate) fn assert_baseline_lt(&self, document: &[u8], signatures: usize) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("archived.pdf");
        fs::write(&file, document).expect("a file");

        let structure = run(Command::new("qpdf").arg("--check").arg(&file));
        assert!(structure.status.success(), "qpdf: {}", text(&structure));

        let pyhanko = self.pyhanko(&file, &["--offline"]);
        assert!(pyhanko.ok, "pyHanko: {pyhanko:#?}");
        assert_eq!(pyhanko.signatures.len(), signatures);
        for signature in &pyhanko.signatures {
            assert_eq!(signature.level.as_deref(), Some("B-LT"), "{pyhanko:#?}");
        }

        let dss = self.dss(&file, "LT");
        assert!(dss.ok, "DSS: {dss:#?}");
        assert_eq!(dss.signatures.len(), signatures, "DSS: {dss:#?}");
        for signature in &dss.signatures {
            assert_eq!(signature.indication, "TOTAL_PASSED", "DSS: {dss:#?}");
            assert_eq!(signature.level, "PAdES-BASELINE-LT", "DSS: {dss:#?}");
        }
    }

    /// Whether pyHanko is content with what the document holds.
    pub(crate) fn verifies_offline(&self, document: &[u8]) -> bool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("signed.pdf");
        fs::write(&file, document).expect("a file");
        self.pyhanko(&file, &["--offline"]).ok
    }

    /// pyHanko's verdict, with revocation asked online unless it is told
    /// otherwise.
    fn pyhanko(&self, file: &Path, options: &[&str]) -> PyHanko {
        let mut command = self.script("pades_referee.py");
        command.args(options);
        for root in &self.roots {
            command.arg("--root").arg(root);
        }
        json(&run(command.arg(file)))
    }

    /// The verdict of the EU's DSS; beyond level T it may ask nobody.
    fn dss(&self, file: &Path, level: &str) -> Dss {
        let mut command = Command::new(self.tools.scripts.join("dss/dss-referee"));
        command.args(["validate", "--level", level]);
        if level == "T" {
            command.arg("--online-loopback");
        }
        for root in &self.roots {
            command.arg("--trust").arg(root);
        }
        json(&run(command.arg(file)))
    }

    /// OpenSSL's verdict on each CMS, with its signing-certificate attribute.
    fn assert_cms(&self, folder: &TempDir, file: &Path, signatures: usize) {
        let part = folder.path().join("part");
        let split = run(self.script("pades_split.py").arg(file).arg(&part));
        assert!(split.status.success(), "split: {}", text(&split));

        let anchors = folder.path().join("roots.pem");
        let pem: Vec<String> = self
            .roots
            .iter()
            .map(|root| fs::read_to_string(root).expect("a root certificate"))
            .collect();
        fs::write(&anchors, pem.join("\n")).expect("a file");

        for index in 0..signatures {
            let verified = run(Command::new("openssl")
                .args([
                    "cms", "-verify", "-cades", "-binary", "-purpose", "any", "-inform", "DER",
                    "-in",
                ])
                .arg(part.with_extension(format!("{index}.der")))
                .arg("-content")
                .arg(part.with_extension(format!("{index}.tbs")))
                .arg("-CAfile")
                .arg(&anchors)
                .args(["-out", "/dev/null"]));
            assert!(
                verified.status.success(),
                "openssl, signature {index}: {}",
                text(&verified)
            );
        }
    }

    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(&self.tools.python);
        command.arg(self.tools.scripts.join(name));
        command
    }
}

/// What pyHanko says about a file.
#[derive(Debug, Deserialize)]
struct PyHanko {
    ok: bool,
    #[serde(default)]
    signatures: Vec<PyHankoSignature>,
    #[serde(rename = "error")]
    _error: Option<String>,
}

/// What pyHanko says about one signature.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PyHankoSignature {
    sub_filter: String,
    level: Option<String>,
    #[serde(rename = "indication")]
    _indication: Option<String>,
    #[serde(rename = "subIndication")]
    _sub_indication: Option<String>,
    #[serde(rename = "failureMsg")]
    _failure: Option<String>,
    #[serde(rename = "coverage")]
    _coverage: Option<String>,
    #[serde(rename = "docmdpOk")]
    _changes_allowed: Option<bool>,
    #[serde(rename = "error")]
    _error: Option<String>,
}

/// What DSS says about a file.
#[derive(Debug, Deserialize)]
struct Dss {
    ok: bool,
    #[serde(rename = "why", default)]
    _why: serde_json::Value,
    #[serde(default)]
    signatures: Vec<DssSignature>,
}

/// What DSS says about one signature.
#[derive(Debug, Deserialize)]
struct DssSignature {
    indication: String,
    level: String,
    #[serde(rename = "errors", default)]
    _errors: serde_json::Value,
}

/// Public sample documents, or a counted skip.
pub(crate) fn samples() -> Option<PathBuf> {
    tool::or_skip("the samples folder", folder("PARAFA_SAMPLES"))
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn json<T: DeserializeOwned>(output: &Output) -> T {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(output)))
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
