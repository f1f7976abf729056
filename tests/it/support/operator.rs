//! Operator's command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

use super::demo::parafa;

/// Runs `parafa` with these arguments on this data folder. Returns the exit
/// code, and the JSON answer or the sentence of the refusal.
pub(crate) fn operate(data: &Path, words: &[&str]) -> (Option<i32>, Value) {
    let output = parafa(on(data, words));
    let answer = if output.status.success() {
        serde_json::from_slice(&output.stdout).expect("JSON")
    } else {
        String::from_utf8_lossy(&output.stderr).into_owned().into()
    };
    (output.status.code(), answer)
}

/// Runs a command that must succeed; returns its answer.
pub(crate) fn done(data: &Path, words: &[&str]) -> Value {
    answer(&parafa(on(data, words)))
}

/// Runs a command that must be refused; returns the sentence.
pub(crate) fn refused(data: &Path, words: &[&str]) -> String {
    refusal(&parafa(on(data, words)))
}

/// Returns the JSON answer of a successful command.
pub(crate) fn answer(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_times(&answer);
    answer
}

/// Asserts that all times in an answer have the format of the API: RFC 3339 in
/// UTC with milliseconds.
fn assert_times(answer: &Value) {
    match answer {
        Value::Array(values) => values.iter().for_each(assert_times),
        Value::Object(members) => members.values().for_each(assert_times),
        Value::String(text) => {
            if let Ok(time) = text.parse::<Timestamp>() {
                assert_eq!(*text, format!("{time:.3}"));
            }
        }
        _ => {}
    }
}

/// Returns the sentence with which a command was refused.
pub(crate) fn refusal(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    told
}

/// Returns a path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn on<'w>(data: &'w Path, words: &[&'w str]) -> Vec<&'w str> {
    [words, &["--json", "--data", text(data)]].concat()
}

/// A data folder outside the demo.
pub(crate) struct Production {
    folder: TempDir,
}

impl Production {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("data")).expect("a folder");
        let key = folder.path().join("master.key");
        let settings = format!("[secrets]\nmaster_key_file = {:?}\n", text(&key));
        fs::write(folder.path().join("parafa.toml"), settings).expect("written");
        Self { folder }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Runs a command that answers in JSON.
    pub(crate) fn parafa(&self, words: &[&str]) -> Output {
        let (config, data) = (self.folder.path().join("parafa.toml"), self.data());
        let place = ["--config", text(&config), "--data", text(&data), "--json"];
        parafa(words.iter().copied().chain(place))
    }
}
