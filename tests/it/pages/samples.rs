//! Samples in the references, run unchanged.

mod calls;
mod prerequisites;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::calls::{APIS, Api, Call};
use self::prerequisites::{Prerequisites, Variables};
use super::guide::{Reader, text};
use crate::support::demo::Demo;

/// File in which samples keep downloads.
const KEPT: &str = "answer.bin";

/// Runs all samples of a language.
type Runner = fn(&Reader<'_>, &[Sample<'_>]) -> Vec<Outcome>;

/// Languages in the order of the samples on a page. Those in TypeScript have no
/// type annotations to strip.
const LANGUAGES: [(&str, Runner); 3] = [
    ("curl", in_shell),
    ("python", in_python),
    ("typescript", in_node),
];

/// Page of a call.
struct Page {
    path: String,
    call: &'static Call,
    /// False if its answers have no content.
    has_content: bool,
    /// Variables that the page exports in a shell.
    exported: Variables,
    /// One for each language.
    samples: Vec<String>,
}

/// A sample, with everything that it needs.
#[derive(Serialize)]
struct Sample<'p> {
    page: &'p str,
    code: &'p str,
    variables: BTreeMap<&'static str, String>,
    /// Folder of its own.
    folder: PathBuf,
}

/// Outcome of a sample, with its output.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Printed(String),
    Refused(String),
}

impl Page {
    /// Reads the pages of an API. Each operation has one, and a row in the table.
    async fn all_of(api: &'static Api, demo: &Demo, reader: &Reader<'_>) -> Vec<Self> {
        let description = text(demo, &format!("{}openapi.json", api.folder)).await;
        let description: Value = description.parse().expect("JSON");
        let operations = operations(&description);
        let described: BTreeSet<_> = operations.keys().copied().collect();
        let listed: BTreeSet<_> = api.calls.iter().map(|call| call.id).collect();
        assert_eq!(listed, described, "calls.rs has a row for each operation");
        let mut pages = Vec::new();
        for call in api.calls {
            let path = format!("{}docs/reference/{}", api.folder, call.id);
            let mut code = reader.code(&path).await.into_iter();
            let environment = code.next().expect("an environment");
            let samples: Vec<_> = code.take(LANGUAGES.len()).collect();
            assert_eq!(samples.len(), LANGUAGES.len(), "{path}");
            let responses = &operations[call.id]["responses"];
            pages.push(Self {
                path,
                call,
                has_content: responses.get("204").is_none(),
                exported: exported(reader, &environment),
                samples,
            });
        }
        pages
    }

    /// Creates the prerequisite of a sample, and a folder to run it in.
    async fn sample(
        &self,
        language: usize,
        prerequisites: &Prerequisites<'_>,
        reader: &Reader<'_>,
    ) -> Sample<'_> {
        let (name, _) = LANGUAGES[language];
        let folder = reader.path(&format!("{}-{name}", self.path.replace('/', "-")));
        fs::create_dir(&folder).expect("a folder");
        let own = prerequisites.variables(self.call.needs).await;
        Sample {
            page: &self.path,
            code: &self.samples[language],
            variables: self.exported.iter().cloned().chain(own).collect(),
            folder,
        }
    }

    /// Returns whether an outcome is that of the table.
    fn expects(&self, outcome: &Outcome, folder: &Path) -> bool {
        match (outcome, self.call.refusal) {
            (Outcome::Printed(printed), None) => {
                let kept = fs::read(folder.join(KEPT)).unwrap_or_default();
                let is_silent = printed.trim().is_empty() && kept.is_empty();
                !(is_silent && self.has_content)
            }
            (Outcome::Refused(told), Some(problem)) => told.contains(&format!("\"{problem}\"")),
            _ => false,
        }
    }
}

/// Returns the operations of a description, by their ids.
fn operations(description: &Value) -> BTreeMap<&str, &Value> {
    let items = description["paths"].as_object().into_iter().flatten();
    let members = items.flat_map(|(_, item)| item.as_object().into_iter().flatten());
    members
        .filter_map(|(_, member)| Some((member["operationId"].as_str()?, member)))
        .collect()
}

/// Returns the variables that a page exports.
fn exported(reader: &Reader<'_>, environment: &str) -> Variables {
    let script = format!("unset KEY\n{environment}\nprintf '%s\\n' \"$BASE\" \"${{KEY-}}\"");
    let told = reader.prints(Command::new("bash").args(["-euo", "pipefail", "-c", &script]));
    let variables = ["BASE", "KEY"].into_iter().zip(told);
    variables.filter(|(_, value)| !value.is_empty()).collect()
}

/// Runs samples in curl, each in a shell of its own.
fn in_shell(_: &Reader<'_>, samples: &[Sample<'_>]) -> Vec<Outcome> {
    let outcomes = samples.iter().map(|sample| {
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", sample.code])
            .envs(&sample.variables)
            .current_dir(&sample.folder)
            .output();
        let output = output.expect("bash runs");
        let told = String::from_utf8_lossy(&output.stdout);
        match output.status.success() {
            true => Outcome::Printed(told.into_owned()),
            false => {
                let complaint = String::from_utf8_lossy(&output.stderr);
                Outcome::Refused(format!("{told}{complaint}"))
            }
        }
    });
    outcomes.collect()
}

fn in_python(reader: &Reader<'_>, samples: &[Sample<'_>]) -> Vec<Outcome> {
    let mut python = Command::new("python3");
    python.args(["-c", include_str!("samples/run.py")]);
    together(reader, &mut python, samples)
}

fn in_node(reader: &Reader<'_>, samples: &[Sample<'_>]) -> Vec<Outcome> {
    let mut node = Command::new("node");
    let program = include_str!("samples/run.mjs");
    node.args(["--input-type=module", "-e", program]);
    together(reader, &mut node, samples)
}

/// Runs samples by one process.
fn together(reader: &Reader<'_>, program: &mut Command, samples: &[Sample<'_>]) -> Vec<Outcome> {
    let file = reader.path("samples.json");
    let samples = serde_json::to_vec(samples).expect("JSON");
    fs::write(&file, samples).expect("a file");
    let told = reader.prints(program.arg(file)).concat();
    serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"))
}

/// Creates a reader who copies samples from pages; `None` if a program is
/// missing.
fn reader(demo: &Demo) -> Option<Reader<'_>> {
    for program in ["python3", "node"] {
        tool::program(program)?;
    }
    Reader::of(demo)
}

#[tokio::test]
async fn every_sample_of_the_references_runs_as_it_stands() {
    let demo = Demo::start();
    let Some(reader) = reader(&demo) else {
        return;
    };
    let mut pages = Vec::new();
    for api in &APIS {
        pages.extend(Page::all_of(api, &demo, &reader).await);
    }
    let prerequisites = Prerequisites::of(&demo).await;
    let mut wrong = Vec::new();

    for (language, (name, run)) in LANGUAGES.iter().enumerate() {
        let mut samples = Vec::new();
        for page in &pages {
            samples.push(page.sample(language, &prerequisites, &reader).await);
        }
        let outcomes = run(&reader, &samples);
        assert_eq!(outcomes.len(), samples.len(), "{name}");
        for ((page, sample), outcome) in pages.iter().zip(&samples).zip(outcomes) {
            if !page.expects(&outcome, &sample.folder) {
                wrong.push(format!("{} in {name}: {outcome:?}", page.path));
            }
        }
    }

    assert!(wrong.is_empty(), "{wrong:#?}");
}
