//! JSON values as YAML 1.2 in block style. Texts are in double quotes, whose escapes are a superset
//! of JSON's (YAML 1.2, 7.3.1), so that none can be misread. Only keys that are plain words have no
//! quotes.

use std::fmt::Write;

use serde_json::Value;

/// The document of `value`.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

/// `value` on lines of its own, indented by `depth`; the first line is already indented unless it
/// begins the document.
fn block(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (index, (name, member)) in members.iter().enumerate() {
                indent(index, depth, out);
                match is_word(name) {
                    true => out.push_str(name),
                    false => scalar(&name.as_str().into(), out),
                }
                out.push(':');
                after_colon(member, depth, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                indent(index, depth, out);
                out.push_str("- ");
                block(item, depth + 1, out);
            }
        }
        _ => {
            scalar(value, out);
            out.push('\n');
        }
    }
}

fn after_colon(value: &Value, depth: usize, out: &mut String) {
    let nested = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if nested {
        out.push('\n');
        out.push_str(&"  ".repeat(depth + 1));
        block(value, depth + 1, out);
    } else {
        out.push(' ');
        scalar(value, out);
        out.push('\n');
    }
}

fn indent(index: usize, depth: usize, out: &mut String) {
    if index > 0 {
        out.push_str(&"  ".repeat(depth));
    }
}

fn scalar(value: &Value, out: &mut String) {
    write!(out, "{value}").expect("a string takes everything");
}

/// Returns true if a key is read as a text without quotes.
fn is_word(name: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !reserved.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_and_arrays_are_blocks() {
        let value = json!({
            "a": {"b": [1, {"c": true, "$ref": "#/x"}, []], "d": {}},
            "no": null,
            "200": "two: \"hundred\"\nž",
        });
        assert_eq!(
            write(&value),
            "a:\n  b:\n    - 1\n    - c: true\n      \"$ref\": \"#/x\"\n    - []\n  d: {}\n\"no\": null\n\"200\": \"two: \\\"hundred\\\"\\nž\"\n"
        );
    }
}
