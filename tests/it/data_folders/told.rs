//! Answers of one server, compared with those of another.

use std::fs;

use serde_json::Value;

use crate::support::demo::{Demo, parafa};
use crate::support::operator::text;

/// Returns the schema of a server's records, as a backup states it.
pub(super) fn schema_of(demo: &Demo) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let backup = folder.path().join("backup");
    let data = demo.data();
    // It is made, and names the plugins that an archive leaves out as missing.
    drop(parafa(["backup", text(&backup), "--data", text(&data)]));
    let manifest = fs::read_to_string(backup.join("manifest.jsonl")).expect("a manifest");
    let header = manifest.lines().next().expect("a header");
    let header: Value = serde_json::from_str(header).expect("JSON");
    header["schema"].as_u64().expect("a number")
}

/// Asserts that an answer says what an earlier one did. Later builds may say more.
#[track_caller]
pub(super) fn assert_tells(answer: &Value, earlier: &Value) {
    let earlier = without_links(earlier.clone());
    for (name, value) in earlier.as_object().expect("an object") {
        assert_eq!(answer[name], *value, "{name} of {answer}");
    }
}

/// Removes the links: they begin with the server's address, which has changed.
pub(super) fn without_links(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(members) => {
            members.remove("ceremonyUrl");
            members
                .values_mut()
                .for_each(|member| *member = without_links(member.take()));
        }
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| *value = without_links(value.take())),
        _ => {}
    }
    answer
}
