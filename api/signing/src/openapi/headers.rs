//! Headers of answers.

use serde_json::{Map, Value, json};

use super::schema::Schema;

pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
pub(super) const REQUEST_ID: &str = "X-Request-Id";

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

/// Every header that answers have.
pub(super) fn all() -> Map<String, Value> {
    let text = Schema::string;
    [
        (REQUEST_ID, "Ties the answer to the service's log.", text()),
        (
            "RateLimit",
            "What is left of the key's rate, and seconds until it is whole again or, with 429, until the next request is taken.",
            text(),
        ),
        (
            "RateLimit-Policy",
            "Requests that the key may make, and the window in seconds.",
            text(),
        ),
        (
            "Retry-After",
            "Seconds after which trying again can help.",
            Schema::count(),
        ),
        (
            "WWW-Authenticate",
            "How to authenticate.",
            Schema::constant("Bearer"),
        ),
        ("Location", "The address of what was created.", Schema::uri()),
        (
            "Idempotent-Replayed",
            "The answer is that to an earlier request with the same Idempotency-Key.",
            Schema::constant("true"),
        ),
        ("ETag", "Changes when the content does.", text()),
        (
            "Content-Disposition",
            "The document's file name.",
            text(),
        ),
        (
            "X-Service-Document-Sha256",
            "SHA-256 of the bytes, in lower-case hexadecimal digits.",
            Schema::sha256(),
        ),
        (
            "X-Service-Sandbox",
            "Only on the unsigned artifact of a sandbox simulation.",
            Schema::constant(crate::routes::SIMULATED),
        ),
    ]
    .into_iter()
    .map(|(name, description, schema)| {
        let header = json!({"description": description, "schema": Value::from(schema)});
        (name.to_owned(), header)
    })
    .collect()
}
