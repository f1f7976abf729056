//! The same data give the same bytes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{arbitrary::json_value, samples};
use crate::{Library, data_sha256};

/// The same value with its members reversed.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .rev()
            .map(|(name, value)| (name.clone(), reversed(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(elements) => elements.iter().map(reversed).collect(),
        scalar => scalar.clone(),
    }
}

#[test]
fn the_order_of_members_changes_no_byte() {
    for (endpoint, data) in samples::all() {
        let other = reversed(&data);
        assert_ne!(data.to_string(), other.to_string());
        let bytes =
            |data| serde_json::to_vec(&Library::current().interpret(endpoint, data)).unwrap();
        assert_eq!(bytes(&data), bytes(&other));
    }
}

#[test]
fn the_digest_is_over_the_canonical_form() {
    // SHA-256 of {"a":[1,"€",333333333.3333333,1e+30],"b":null}
    let data = json!({"b": null, "a": [1.0, "\u{20ac}", 333_333_333.333_333_3, 1E30]});
    assert_eq!(
        data_sha256(&data),
        "c2cf30a9fb8fdb97adbf848fca41ad121dc7e9d777f5787e52fa626739a586c7"
    );
}

#[test]
fn when_and_by_which_request_data_were_retrieved_does_not_count() {
    let data = samples::report();
    let mut later = data.clone();
    for section in later["sections"].as_object_mut().unwrap().values_mut() {
        section["retrievedAt"] = json!("2027-01-01T00:00:00Z");
        section["source"]["reference"] = json!("another");
    }
    assert_ne!(data, later);
    assert_eq!(data_sha256(&data), data_sha256(&later));
}

#[test]
fn everything_else_counts() {
    let data = samples::report();
    let changed = |pointer: &str| {
        let mut changed = data.clone();
        *changed.pointer_mut(pointer).unwrap() = json!("changed");
        data_sha256(&changed)
    };
    for pointer in [
        "/sections/profile/source/rawSha256",
        "/sections/profile/data/name",
        "/sections/seizures/data/acts/0/actId",
        "/sections/cases/status",
    ] {
        assert_ne!(data_sha256(&data), changed(pointer), "{pointer}");
    }
    let reference_of_something_else = |text| data_sha256(&json!({"basis": {"reference": text}}));
    assert_ne!(
        reference_of_something_else("1"),
        reference_of_something_else("2")
    );
}

proptest! {
    #[test]
    fn the_order_of_members_never_changes_the_digest(data in json_value()) {
        prop_assert_eq!(data_sha256(&data), data_sha256(&reversed(&data)));
    }
}
