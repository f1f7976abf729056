//! The operator at the command line.

use std::path::Path;

use serde_json::Value;

use super::demo::parafa;

/// `parafa` with these words on this data folder: the exit code and the JSON
/// that it answers, or the sentence with which it refuses.
pub(crate) fn operate(data: &Path, words: &[&str]) -> (Option<i32>, Value) {
    let data = data.to_str().expect("a path in UTF-8");
    let output = parafa(words.iter().copied().chain(["--json", "--data", data]));
    let answer = if output.status.success() {
        serde_json::from_slice(&output.stdout).expect("JSON")
    } else {
        String::from_utf8_lossy(&output.stderr).into_owned().into()
    };
    (output.status.code(), answer)
}

/// What `parafa` answers to words that it follows.
pub(crate) fn done(data: &Path, words: &[&str]) -> Value {
    let (code, answer) = operate(data, words);
    assert_eq!(code, Some(0), "{words:?}: {answer}");
    answer
}

/// The sentence with which it refuses others.
pub(crate) fn refused(data: &Path, words: &[&str]) -> String {
    let (code, answer) = operate(data, words);
    assert_eq!(code, Some(1), "{words:?}: {answer}");
    answer.as_str().expect("a sentence").to_owned()
}
