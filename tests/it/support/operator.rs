//! The operator at the command line.

use std::path::Path;
use std::process::Output;

use jiff::Timestamp;
use serde_json::Value;

use super::demo::parafa;

/// `parafa` with these words on this data folder: the exit code and the JSON
/// that it answers, or the sentence with which it refuses.
pub(crate) fn operate(data: &Path, words: &[&str]) -> (Option<i32>, Value) {
    let output = parafa(on(data, words));
    let answer = if output.status.success() {
        serde_json::from_slice(&output.stdout).expect("JSON")
    } else {
        String::from_utf8_lossy(&output.stderr).into_owned().into()
    };
    (output.status.code(), answer)
}

/// What `parafa` answers to words that it follows.
pub(crate) fn done(data: &Path, words: &[&str]) -> Value {
    answer(&parafa(on(data, words)))
}

/// The sentence with which it refuses others.
pub(crate) fn refused(data: &Path, words: &[&str]) -> String {
    refusal(&parafa(on(data, words)))
}

/// What a command has answered in JSON that was done.
pub(crate) fn answer(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_times(&answer);
    answer
}

/// Whatever is answered, its times are those of the API: RFC 3339 in UTC with
/// milliseconds.
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

/// The sentence with which a command was refused.
pub(crate) fn refusal(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    told
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn on<'w>(data: &'w Path, words: &[&'w str]) -> Vec<&'w str> {
    [words, &["--json", "--data", text(data)]].concat()
}
