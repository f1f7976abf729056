//! The samples of the references, as they stand on their pages.

use std::process::Command;

use parafa_fixtures::tool;
use serde_json::Value;
use tempfile::TempDir;

use super::guide::as_text;
use crate::support::demo::Demo;

/// The languages of samples, and what runs them. Those in TypeScript have no types
/// to be taken out.
const LANGUAGES: [(&str, &str, &[&str]); 3] = [
    ("curl", "bash", &["-euc"]),
    ("Python", "python3", &["-c"]),
    ("TypeScript", "node", &["--input-type=module", "-e"]),
];

/// Somebody who copies samples from pages.
struct Reader<'d> {
    demo: &'d Demo,
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl<'d> Reader<'d> {
    fn new(demo: &'d Demo, key: &str) -> Self {
        let base = demo.world.base_url.as_str().trim_end_matches('/');
        Self {
            demo,
            folder: tempfile::tempdir().expect("a temporary folder"),
            variables: vec![("BASE", base.to_owned()), ("KEY", key.to_owned())],
        }
    }

    /// Runs the samples of a call, and gives what the one for curl printed.
    async fn run(&self, page: &str) -> String {
        let address = self.demo.world.base_url.join(page).expect("an address");
        let html = reqwest::get(address).await.unwrap().text().await.unwrap();
        let mut printed = Vec::new();
        for (language, program, arguments) in LANGUAGES {
            let (_, code) = html
                .split_once(&format!("<h3>{language}</h3><pre tabindex=\"0\"><code>"))
                .unwrap_or_else(|| panic!("{page} has no sample in {language}"));
            let (code, _) = code.split_once("</code>").expect("an end");
            let output = Command::new(program)
                .args(arguments)
                .arg(as_text(code))
                .envs(self.variables.iter().map(|(name, value)| (name, value)))
                .current_dir(self.folder.path())
                .output()
                .expect("it runs");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success(),
                "{page}, {language}: {told}{complaint}"
            );
            assert!(!told.is_empty(), "{page}, {language}");
            printed.push(told);
        }
        printed.swap_remove(0)
    }
}

/// Whether there is what runs samples.
fn can_run() -> bool {
    let programs = ["bash", "curl", "openssl", "python3", "node"];
    programs
        .iter()
        .all(|program| tool::program(program).is_some())
}

#[tokio::test]
async fn the_samples_of_the_signing_api_run_as_they_stand() {
    if !can_run() {
        return;
    }
    let demo = Demo::start();
    let mut reader = Reader::new(&demo, &demo.world.signing.test);

    let created = reader.run("docs/reference/createSigning").await;
    let created: Value = serde_json::from_str(&created).expect("JSON");
    let id = created["signingId"].as_str().expect("an id").to_owned();
    reader.variables.push(("SIGNING_ID", id));

    for call in [
        "listSignings",
        "readSigning",
        "addComment",
        "listComments",
        "storeFile",
        "createBatch",
        "readCapabilities",
    ] {
        reader.run(&format!("docs/reference/{call}")).await;
    }
}

#[tokio::test]
async fn the_samples_of_the_other_apis_run_as_they_stand() {
    if !can_run() {
        return;
    }
    let demo = Demo::start();
    let provider = &demo.world.auth;
    let provider = format!("{}:{}", provider.key_id, provider.key_secret);

    let reader = Reader::new(&demo, &demo.world.diligence.test);
    for call in [
        "readCompanyProfile",
        "readBeneficialOwners",
        "readPropertyExtract",
    ] {
        reader.run(&format!("dd/docs/reference/{call}")).await;
    }
    let reader = Reader::new(&demo, &provider);
    for call in ["createAuthentication", "readOpenIdConfiguration"] {
        reader.run(&format!("auth/docs/reference/{call}")).await;
    }
}
