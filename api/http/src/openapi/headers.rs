//! Headers of answers.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
pub(super) const REQUEST_ID: &str = "X-Request-Id";

/// A header of the answers of one API: its name, a description, and its only
/// value if it has one.
pub type OwnHeader = (&'static str, &'static str, Option<&'static str>);

/// References to headers of these names.
pub(super) fn references(names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .map(|name| {
            let reference = json!({"$ref": format!("#/components/headers/{name}")});
            ((*name).to_owned(), reference)
        })
        .collect()
}

/// Every header of answers, with these challenges of refusals.
pub(super) fn all(challenges: &BTreeSet<&str>, own: &[OwnHeader]) -> Map<String, Value> {
    let text = || json!({"type": "string"});
    let only = |value: &str| json!({"type": "string", "const": value});
    let challenges: Vec<_> = challenges.iter().copied().collect();
    let challenge = match challenges.as_slice() {
        [one] => only(one),
        // An enumeration would need a name of its own in clients.
        several => json!({"type": "string", "pattern": format!("^({})$", several.join("|"))}),
    };
    let common = [
        (
            REQUEST_ID,
            "Identifies the request in the service's log.",
            text(),
        ),
        (
            "RateLimit",
            "Requests that are left, and seconds until the limit is fully restored or, with 429, until the next request is accepted.",
            text(),
        ),
        (
            "RateLimit-Policy",
            "Requests that the key may make, and the window in seconds.",
            text(),
        ),
        (
            "Retry-After",
            "Seconds to wait before trying again.",
            json!({"type": "integer", "minimum": 0}),
        ),
        (
            "WWW-Authenticate",
            "The authentication schemes to use.",
            challenge,
        ),
        (
            "Location",
            "The address of the created resource.",
            json!({"type": "string", "format": "uri"}),
        ),
        (
            "Idempotent-Replayed",
            "Present on the repeated answer to an earlier request with the same Idempotency-Key.",
            only("true"),
        ),
        ("ETag", "Changes when the content does.", text()),
        ("Content-Disposition", "The document's file name.", text()),
        (
            "X-Service-Document-Sha256",
            "SHA-256 of the bytes, in lower-case hexadecimal digits.",
            json!({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
        ),
    ];
    let own = own
        .iter()
        .map(|(name, description, value)| (*name, *description, value.map_or_else(text, only)));
    common
        .into_iter()
        .chain(own)
        .map(|(name, description, schema)| {
            let header = json!({"description": description, "schema": schema});
            (name.to_owned(), header)
        })
        .collect()
}
