//! Schema of headers (ETSI TS 119 182-1, annex B). Validating programs reject a
//! signature that violates it.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

/// Object types with their members. `Name=kind` is required, `Name?=kind`
/// optional, and `Name|Other=kind` requires one of the two; `kind[n]` is a list
/// of at least `n`. `+` requires at least one member, `*` permits others.
const SCHEMA: &str = include_str!("schema.txt");

static KINDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = SCHEMA.lines();
    lines.filter_map(|line| line.split_once(": ")).collect()
});

/// Returns whether an object has a type. Requirements on a whole header are not
/// checked: a sound signature without them is not baseline.
pub(crate) fn is_object_of(kind: &str, object: &Map<String, Value>) -> bool {
    let members = KINDS.get(kind).copied().unwrap_or_default();
    let mut is_open = false;
    let mut known = 0;
    for member in members.split(' ') {
        let Some((names, kind)) = member.split_once('=') else {
            is_open |= member == "*";
            if member == "+" && object.is_empty() {
                return false;
            }
            continue;
        };
        let is_optional = names.ends_with('?');
        let names = names.trim_end_matches('?').split('|');
        let values: Vec<_> = names.filter_map(|name| object.get(name)).collect();
        let is_counted = values.len() == 1 || (values.is_empty() && is_optional);
        if !is_counted || !values.iter().all(|value| is_of(kind, value)) {
            return false;
        }
        known += values.len();
    }
    is_open || known == object.len()
}

fn is_of(kind: &str, value: &Value) -> bool {
    if let Some((kind, least)) = kind.split_once('[') {
        let least = least.trim_end_matches(']').parse().unwrap_or(1);
        let items = value.as_array().filter(|items| items.len() >= least);
        return items.is_some_and(|items| items.iter().all(|item| is_of(kind, item)));
    }
    match kind {
        "any" => true,
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => value
            .as_object()
            .is_some_and(|object| is_object_of(kind, object)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_that_an_object_holds_is_described_once() {
        const VALUES: [&str; 6] = ["any", "boolean", "integer", "number", "object", "string"];

        assert_eq!(KINDS.len(), SCHEMA.lines().count());
        for members in KINDS.values() {
            let kinds = members
                .split(' ')
                .filter_map(|member| member.split_once('='));
            for (_, kind) in kinds {
                let kind = kind.split('[').next().unwrap_or_default();
                assert!(VALUES.contains(&kind) || KINDS.contains_key(kind), "{kind}");
            }
        }
    }

    #[test]
    fn objects_hold_what_their_kind_has() {
        let is_one = |kind: &str, value: Value| is_object_of(kind, value.as_object().unwrap());
        let token = json!({"val": ""});

        assert!(is_one("tstContainer", json!({"tstTokens": [token]})));
        assert!(is_one(
            "xVal",
            json!({"otherCert": {"val": "", "specRef": ""}})
        ));
        assert!(is_one("rVals", json!({"otherVals": [{"a": 1}]})));
        assert!(is_one(
            "noticeRef",
            json!({"organization": "a", "noticeNumbers": [-1]})
        ));
        assert!(is_one("sigPQual", json!({"urn:x": 1})));
        assert!(is_one("component", json!({"urn:x": 1})));
        for (kind, value) in [
            ("tstContainer", json!({})),
            ("tstContainer", json!({"tstTokens": []})),
            ("tstContainer", json!({"tstTokens": [token, {}]})),
            ("tstContainer", json!({"tstTokens": [token], "more": 1})),
            ("xVal", json!({})),
            ("xVal", json!({"otherCert": token, "x509Cert": token})),
            ("rVals", json!({})),
            (
                "noticeRef",
                json!({"organization": "a", "noticeNumbers": [1.5]}),
            ),
            ("sigPQual", json!({"spURI": 1})),
            ("component", json!({"xVals": {}})),
            (
                "protected",
                json!({"sigX5ts": [{"digAlg": "", "digVal": ""}]}),
            ),
        ] {
            assert!(!is_one(kind, value.clone()), "{kind}: {value}");
        }
    }
}
