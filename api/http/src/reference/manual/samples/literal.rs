//! JSON values as programming languages write them.

use serde_json::Value;

/// What a language calls null, false and true.
#[derive(Clone, Copy)]
pub(super) struct Words(&'static str, &'static str, &'static str);

pub(super) const JSON: Words = Words("null", "false", "true");
pub(super) const PYTHON: Words = Words("None", "False", "True");

/// A value, whose further lines are indented by so many spaces. The escapes of a
/// text in JSON mean the same in Python.
pub(super) fn literal(value: &Value, words: Words, indent: usize) -> String {
    let inner = indent + 2;
    match value {
        Value::Null => words.0.to_owned(),
        Value::Bool(false) => words.1.to_owned(),
        Value::Bool(true) => words.2.to_owned(),
        Value::Array(items) => {
            let items = items.iter().map(|item| literal(item, words, inner));
            wrapped('[', items, ']', indent)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| {
                let name = Value::from(name.as_str());
                format!("{name}: {}", literal(member, words, inner))
            });
            wrapped('{', members, '}', indent)
        }
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn wrapped(
    opening: char,
    parts: impl Iterator<Item = String>,
    closing: char,
    indent: usize,
) -> String {
    let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
    let parts: Vec<_> = parts.map(|part| format!("\n{inner}{part}")).collect();
    match parts.is_empty() {
        true => format!("{opening}{closing}"),
        false => format!("{opening}{}\n{outer}{closing}", parts.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_the_same_in_json_and_has_words_of_its_own_in_python() {
        let value = json!({"a": [1, null, {"b": "x\"\n"}], "c": true, "d": [], "e": {}});

        let written = literal(&value, JSON, 0);

        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        assert_eq!(written, serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(
            literal(&json!({"a": [null, false, true]}), PYTHON, 4),
            "{\n      \"a\": [\n        None,\n        False,\n        True\n      ]\n    }"
        );
    }
}
