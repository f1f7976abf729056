//! Unknown values have no meaning.

use std::collections::BTreeSet;

use serde_json::Value;

use super::samples;
use crate::{Endpoint, Library};

/// The rules that apply, each with its place, served or not.
fn applied(endpoint: Endpoint, data: &Value) -> BTreeSet<(String, String)> {
    let applied = Library::current().applied(endpoint, data);
    let applied = applied.into_iter();
    applied
        .map(|(rule, place)| (rule.id.clone(), place))
        .collect()
}

/// The pointers of everything in `data`.
fn pointers(data: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match data {
        Value::Object(members) => {
            for (name, value) in members {
                pointers(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn nothing_is_concluded_from_what_is_unknown() {
    for (endpoint, data) in samples::all() {
        let known = applied(endpoint, &data);
        let mut found = Vec::new();
        pointers(&data, "", &mut found);
        for pointer in found {
            let mut unknown = data.clone();
            *unknown.pointer_mut(&pointer).unwrap() = Value::Null;
            let concluded: Vec<_> = applied(endpoint, &unknown)
                .difference(&known)
                .cloned()
                .collect();
            assert_eq!(concluded, [], "from null at {pointer}");
        }
    }
}
