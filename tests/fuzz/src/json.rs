//! JSON texts: sound values with edits that the input names, or the input itself.

use serde_json::Value;

/// Most edits of one value.
const MOST_EDITS: usize = 8;

/// A text: the input itself, or else a sound value with its edits.
///
/// An edit is a place among all values, an act, and a text behind its length.
pub(crate) fn chosen(sound: &Value, is_raw: bool, input: &[u8]) -> Vec<u8> {
    if is_raw {
        return input.to_vec();
    }
    let mut value = sound.clone();
    let mut edits = input;
    for _ in 0..MOST_EDITS {
        let [place, act, length, rest @ ..] = edits else {
            break;
        };
        let (text, next) = rest.split_at(usize::from(*length).min(rest.len()));
        edit(&mut value, *place, *act, &String::from_utf8_lossy(text));
        edits = next;
    }
    value.to_string().into_bytes()
}

/// Returns true if a pointer leads to a value of a body, or to a member that an object lacks.
pub(crate) fn is_of(pointer: &str, body: &Value) -> bool {
    let parent = pointer.rsplit_once('/').map(|(parent, _)| parent);
    let parent = parent.and_then(|parent| body.pointer(parent));
    body.pointer(pointer).is_some() || parent.is_some_and(Value::is_object)
}

fn edit(value: &mut Value, place: u8, act: u8, text: &str) {
    let mut pointers = Vec::new();
    places(value, String::new(), &mut pointers);
    let pointer = &pointers[usize::from(place) % pointers.len()];
    let place = value.pointer_mut(pointer).expect("it was just listed");
    let text_or_json = || serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    match (act % 3, place) {
        (0, place) => *place = text_or_json(),
        (1, Value::Object(members)) => {
            members.insert(text.to_owned(), Value::Null);
        }
        (1, Value::Array(items)) => items.push(text_or_json()),
        (1, Value::String(own)) => own.push_str(text),
        (_, Value::Object(members)) => {
            let number = usize::from(act / 3);
            if let Some(name) = members.keys().nth(number).cloned() {
                members.shift_remove(&name);
            }
        }
        (_, Value::Array(items)) => {
            items.pop();
        }
        (_, Value::String(own)) => {
            own.pop();
        }
        (_, place) => *place = Value::Null,
    }
}

/// Pointers to a value and all that are in it (RFC 6901).
fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}
