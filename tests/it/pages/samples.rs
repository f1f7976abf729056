//! Samples in the references, run unchanged.

use std::process::Command;

use parafa_fixtures::tool;
use serde_json::Value;

use super::guide::Reader;
use crate::support::demo::Demo;

/// Commands that run a sample in curl, in Python and in TypeScript. Those in
/// TypeScript have no type annotations to strip.
const LANGUAGES: [&str; 3] = [
    "eval \"$SAMPLE\"",
    "python3 -c \"$SAMPLE\"",
    "node --input-type=module -e \"$SAMPLE\"",
];

/// Creates a reader who copies samples from pages; `None` if a program is
/// missing.
fn reader(demo: &Demo) -> Option<Reader<'_>> {
    for program in ["python3", "node"] {
        tool::program(program)?;
    }
    Reader::of(demo)
}

/// Runs the samples of a call in the environment of its page and with these
/// variables; returns the output of the curl sample.
async fn run(reader: &Reader<'_>, page: &str, variables: &[(&str, &str)]) -> String {
    let code = reader.code(page).await;
    let (environment, samples) = code.split_first().expect("an environment");
    assert!(samples.len() >= LANGUAGES.len(), "{page}: {samples:?}");
    let printed = LANGUAGES
        .into_iter()
        .zip(samples)
        .map(|(language, sample)| {
            let script = format!("{environment}\n{language}");
            let mut shell = Command::new("bash");
            shell.args(["-euo", "pipefail", "-c", &script]);
            shell.env("SAMPLE", sample).envs(variables.iter().copied());
            let printed = reader.prints(&mut shell).join("\n");
            assert!(!printed.is_empty(), "{page}: {sample}");
            printed
        });
    let mut printed: Vec<_> = printed.collect();
    printed.swap_remove(0)
}

#[tokio::test]
async fn the_samples_of_the_signing_api_run_as_they_stand() {
    let demo = Demo::start();
    let Some(reader) = reader(&demo) else {
        return;
    };

    let created = run(&reader, "docs/reference/createSigning", &[]).await;
    let created: Value = created.parse().expect("JSON");
    let id = created["signingId"].as_str().expect("an id");

    for call in [
        "listSignings",
        "readSigning",
        "readEvidence",
        "addComment",
        "listComments",
        "storeFile",
        "createBatch",
        "readCapabilities",
    ] {
        let page = format!("docs/reference/{call}");
        run(&reader, &page, &[("SIGNING_ID", id)]).await;
    }
}

#[tokio::test]
async fn the_samples_of_the_other_apis_run_as_they_stand() {
    let demo = Demo::start();
    let Some(reader) = reader(&demo) else {
        return;
    };

    for call in [
        "dd/docs/reference/readCompanyProfile",
        "dd/docs/reference/readBeneficialOwners",
        "dd/docs/reference/readPropertyExtract",
        "auth/docs/reference/createAuthentication",
        "auth/docs/reference/readOpenIdConfiguration",
    ] {
        run(&reader, call, &[]).await;
    }
}
