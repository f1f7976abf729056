//! Container of an identification package: each part, checked by external
//! programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use parafa_fixtures::referees::{AsicE, Dss, JwsLibraries};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::file;
use crate::support::demo::{Demo, Persona, parafa};
use crate::support::operator::text as utf_8;
use crate::support::referee::{Referees, text_of};

/// All members of a container besides its signature.
const MEMBERS: [&str; 7] = [
    "attestation.pdf",
    "dossier.pdf",
    "payload.jades.json",
    "payload.json",
    "register/1-jar.json",
    "register/2-jar.json",
    "register/manifest.json",
];

/// Extracts the members of a container into files of the folder; returns them
/// by name.
pub(super) fn extract(container: &Path, folder: &TempDir) -> BTreeMap<String, Vec<u8>> {
    let path = utf_8(container);
    let listed = parafa(["plugin", "run", "members", path, "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let listed = listed["outcome"]["members"].as_array().expect("members");
    let text = |member: &Value, name: &str| member[name].as_str().expect("a text").to_owned();
    let mut members = BTreeMap::new();
    for member in listed {
        let (id, name) = (text(member, "id"), text(member, "name"));
        let file = member_file(folder, &name);
        let out = utf_8(&file);
        let words = [
            "plugin", "run", "extract", path, "--member", &id, "--out", out,
        ];
        let extracted = parafa(words);
        assert!(extracted.status.success(), "{extracted:?}");
        members.insert(name, fs::read(&file).expect("a member"));
    }
    members
}

/// Returns the bytes of one member of a container.
pub(super) fn member_of(container: &[u8], name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let container = file(&folder, "answer.asice", container);
    let mut members = extract(&container, &folder);
    members.remove(name).expect("a member")
}

fn member_file(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name.replace('/', "-"))
}

/// A container and its members, each in a file.
pub(crate) struct Evidence {
    folder: TempDir,
    container: PathBuf,
}

impl Evidence {
    /// Extracts a delivered package.
    pub(crate) fn of(artifact: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let container = file(&folder, "package.asice", artifact);
        let evidence = Self { folder, container };
        evidence.take_apart();
        evidence
    }

    fn take_apart(&self) {
        let members = extract(&self.container, &self.folder);
        let names: Vec<_> = members.into_keys().collect();
        assert_eq!(names, MEMBERS);
    }

    /// Returns the path of a member's file.
    fn member(&self, name: &str) -> PathBuf {
        member_file(&self.folder, name)
    }

    /// Returns the bytes of a member.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.member(name)).expect("a member")
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).expect("JSON")
    }

    fn digest(&self, name: &str) -> String {
        hex::encode(Sha256::digest(self.read(name)))
    }

    /// Asserts that validators accept the container, the signed payload and the
    /// dossier, and that their content is about this person.
    pub(crate) fn assert_holds(&self, demo: &Demo, subject: &Persona) {
        let roots = &demo.world.world.roots;
        self.assert_signed_by_attorney(roots);
        if let Some(referees) = Referees::find(roots) {
            referees.assert_baseline_lt(&self.read("dossier.pdf"), 1);
        }
        if let Some(words) = text_of(&self.read("attestation.pdf")) {
            assert!(words.contains("TESTAS ADVOKATAS"), "the attorney: {words}");
            let subject = subject.name.to_uppercase();
            assert!(words.contains(&subject), "the subject: {words}");
        }
        self.assert_consistent(&subject.personal_code);
    }

    fn assert_signed_by_attorney(&self, roots: &[PathBuf]) {
        let signed_payload = self.member("payload.jades.json");
        if let Some(dss) = Dss::find(roots) {
            for file in [&self.container, &signed_payload] {
                let verdict = dss.verdict(file, &["--level", "LT"]);
                assert!(verdict.ok, "{verdict:#?}");
            }
        }
        if let Some(judge) = AsicE::find(roots) {
            let verdict = &judge.verdicts(&[&self.container])[0];
            assert!(verdict.ok, "{verdict:#?}");
            let [signature] = &verdict.signatures[..] else {
                panic!("the attorney signs once: {verdict:#?}")
            };
            let covered: BTreeSet<_> = signature.covers.values().map(String::as_str).collect();
            assert!(covered.is_superset(&BTreeSet::from(MEMBERS)), "{covered:?}");
        }
        if let Some(judges) = JwsLibraries::find(&roots[0]) {
            let payload = String::from_utf8(self.read("payload.json")).expect("UTF-8");
            let files = [&signed_payload];
            for verdict in judges.jwcrypto(&files).iter().chain(&judges.jose(&files)) {
                assert!(verdict.ok, "{verdict:?}");
                let signed = verdict.payload.as_ref();
                assert_eq!(signed, Some(&payload), "as it is beside it");
            }
        }
    }

    /// Asserts that the parts are consistent and about one person.
    fn assert_consistent(&self, personal_code: &str) {
        let (payload, manifest) = (
            self.json("payload.json"),
            self.json("register/manifest.json"),
        );
        assert_eq!(payload["signature"]["level"], "PAdES-B-LT");
        for (language, limits) in [
            ("lt", "Tai nėra nei registro išduotas dokumentas"),
            ("en", "This is neither a document issued by a register"),
        ] {
            let words = payload["attestation"][language].as_str().expect("words");
            for part in ["TESTAS ADVOKATAS", "Juridinių asmenų registras", limits] {
                assert!(words.contains(part), "{part}: {words}");
            }
        }
        assert_eq!(payload["subject"]["personalCode"], personal_code);
        assert_eq!(payload["dossier"]["sha256"], self.digest("dossier.pdf"));
        assert_eq!(
            payload["registerManifest"]["sha256"],
            self.digest("register/manifest.json")
        );
        let answers = ["register/1-jar.json", "register/2-jar.json"];
        for (entry, answer) in answers.into_iter().enumerate() {
            assert_eq!(manifest["files"][entry]["sha256"], self.digest(answer));
        }
        let holders = self.json("register/1-jar.json");
        let named = holders["holders"].as_array().map(Vec::len);
        assert_eq!(named, Some(1), "nobody but the subject is named");
    }
}
