//! Replacement of the attorney's key and certificate by a restart.

use std::fs;
use std::path::PathBuf;

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use openssl::x509::X509;
use parafa_fixtures::referees::{AsicE, Dss, JwsLibraries};
use reqwest::StatusCode;
use serde_json::Value;
use tempfile::TempDir;

use super::{DiligenceCaller, ENTITY, file};
use crate::support::demo::Demo;

/// Returns the files of the attorney's key and certificate.
fn attorney_of(demo: &Demo) -> [PathBuf; 2] {
    ["keys", "certificates"]
        .map(|folder| demo.data().join("world").join(folder).join("attorney.pem"))
}

/// Returns the attorney's certificate, in DER.
fn certificate_of(demo: &Demo) -> Vec<u8> {
    let [_, certificate] = attorney_of(demo);
    let pem = fs::read(certificate).expect("a certificate");
    let certificate = X509::from_pem(&pem).expect("a certificate in PEM");
    certificate.to_der().expect("DER")
}

/// Answers to one question, signed as JAdES and in a container.
struct SignedAnswers {
    jades: PathBuf,
    container: PathBuf,
    /// Certificate of the JAdES signature, in DER.
    certificate: Vec<u8>,
}

impl SignedAnswers {
    async fn get(demo: &Demo, folder: &TempDir, name: &str) -> Self {
        let live = DiligenceCaller::live(demo);
        let jades = live.get(&format!("{ENTITY}?sign=jades-lt")).await;
        assert_eq!(jades.status, StatusCode::OK);
        let container = live.get(&format!("{ENTITY}?format=asice")).await;
        assert_eq!(container.status, StatusCode::OK);
        let signed = jades.json();
        let header = signed["protected"].as_str().expect("a header");
        let header = BASE64_URL_SAFE_NO_PAD.decode(header).expect("base64url");
        let header: Value = serde_json::from_slice(&header).expect("JSON");
        let signer = header["x5c"][0].as_str().expect("a certificate");
        Self {
            jades: file(folder, &format!("{name}.json"), &jades.body),
            container: file(folder, &format!("{name}.asice"), &container.body),
            certificate: BASE64_STANDARD.decode(signer).expect("base64"),
        }
    }

    /// Asserts that validators accept both, by what the answers contain.
    fn assert_hold(&self, demo: &Demo) {
        let roots = &demo.world.world.roots;
        if let Some(judges) = JwsLibraries::find(&roots[0]) {
            let files = [&self.jades];
            for verdict in judges.jwcrypto(&files).iter().chain(&judges.jose(&files)) {
                assert!(verdict.ok, "{verdict:?}");
            }
        }
        if let Some(dss) = Dss::find(roots) {
            for file in [&self.jades, &self.container] {
                let verdict = dss.verdict(file, &["--level", "LT"]);
                assert!(verdict.ok, "{verdict:#?}");
            }
        }
        if let Some(judge) = AsicE::find(roots) {
            let verdict = &judge.verdicts(&[&self.container])[0];
            assert!(verdict.ok, "{verdict:#?}");
        }
    }
}

#[tokio::test]
async fn answers_from_before_and_after_the_attorneys_key_was_replaced_hold_each_by_its_certificate()
{
    let mut demo = Demo::start();
    let folder = tempfile::tempdir().expect("a folder");
    let old_certificate = certificate_of(&demo);
    let before = SignedAnswers::get(&demo, &folder, "before").await;
    demo.stop();

    // The world enrols the attorney anew, with another key.
    for file in attorney_of(&demo) {
        fs::remove_file(file).expect("removed");
    }
    demo.start_again();

    let new_certificate = certificate_of(&demo);
    assert_ne!(new_certificate, old_certificate);
    let after = SignedAnswers::get(&demo, &folder, "after").await;
    assert_eq!(before.certificate, old_certificate);
    assert_eq!(after.certificate, new_certificate);
    for answers in [&before, &after] {
        answers.assert_hold(&demo);
    }
}
