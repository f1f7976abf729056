//! Commands of `docs/due-diligence.md`, run unchanged.

use std::fs;
use std::process::{Command, Output};

use parafa_fixtures::tool;
use serde_json::{Deserializer, Value};
use tempfile::TempDir;

use crate::support::demo::Demo;
use crate::support::root;

/// Programs that the page calls.
const PROGRAMS: [&str; 4] = ["awk", "curl", "jq", "openssl"];
/// Command that starts the demo; here it is running already.
const START: &str = "cargo xtask demo";
/// Placeholder for the reader's own path.
const OWN_PATH: &str = "demo=path/to/demo.json";

#[test]
fn a_reader_who_follows_the_page_asks_questions_and_verifies_a_signed_answer() {
    if PROGRAMS.iter().any(|name| tool::program(name).is_none()) {
        return;
    }
    let demo = Demo::start();
    let reader = Reader::of(&demo);
    let page = fs::read_to_string(root().join("docs/due-diligence.md")).expect("the page");

    let [questions, taken_apart, prehashed, hashing, time_stamp] = &commands(&page)[..] else {
        panic!("the page has other commands than this test knows")
    };
    let answers = reader.follows(&[questions]);
    let answers: Vec<Value> = Deserializer::from_slice(&answers.stdout)
        .into_iter()
        .map(|answer| answer.expect("JSON"))
        .collect();
    assert_eq!(answers.len(), 5);
    for answer in answers {
        assert!(answer["data"].is_object(), "{answer}");
    }
    let verified = [questions, taken_apart, prehashed, hashing, time_stamp].map(String::as_str);
    let said = reader.follows(&verified);
    let said =
        String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
    for verdict in [
        "Signature Verified Successfully",
        "Verified OK",
        "Verification: OK",
    ] {
        assert!(said.contains(verdict), "{verdict}: {said}");
    }
    let twice = "! openssl dgst -sha256 -verify key.pem -signature value digest";
    reader.follows(&[&verified[..], &[twice]].concat());
}

/// Shell in a new folder.
struct Reader {
    folder: TempDir,
    demo: String,
}

impl Reader {
    fn of(demo: &Demo) -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            demo: format!("demo={}", demo.data().join("demo.json").display()),
        }
    }

    /// Runs commands; asserts that each succeeds.
    fn follows<S: AsRef<str>>(&self, commands: &[S]) -> Output {
        let commands: Vec<_> = commands.iter().map(AsRef::as_ref).collect();
        let script = commands.join("\n").replace(OWN_PATH, &self.demo);
        assert!(script.contains(&self.demo), "the page names the demo");
        let done = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(self.folder.path())
            .output()
            .expect("there is a shell");
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{script}\n{told}");
        done
    }
}

/// Returns the blocks of commands of a page, except for the one that starts the
/// demo.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("an end").to_owned());
    blocks.filter(|block| block.trim() != START).collect()
}
