//! The API's description (OpenAPI 3.1.1), from the same table as the routes.

mod examples;
mod headers;
mod links;
mod operations;
mod schema;
mod schemas;
mod webhooks;
mod yaml;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::config::BaseUrl;
use crate::operation::{Operation, Tag};
use crate::problem::ProblemKind;

/// The version of the interface.
const VERSION: &str = "1.2.1";

const INTRODUCTION: &str = "Gets documents signed with qualified electronic signatures: post a document and the list of its signers, and each of them signs on a ceremony page with their own eID.\n\n\
    Every refusal is a problem document (RFC 9457) whose type leads to a page on it. A key that starts with `tsk_live_` acts on production, one that starts with `tsk_test_` on the sandbox; neither sees the other's records.";

/// The document in its two forms.
pub(crate) struct Description {
    pub(crate) json: Form,
    pub(crate) yaml: Form,
}

/// One form of it.
#[derive(Clone)]
pub(crate) struct Form {
    pub(crate) media_type: &'static str,
    pub(crate) text: Bytes,
    /// Hexadecimal digits of its digest.
    pub(crate) sha256: String,
}

impl Description {
    /// Of the API that is reached at `base_url`.
    pub(crate) fn new(base_url: &BaseUrl) -> Self {
        let document = document(base_url);
        let json = serde_json::to_string_pretty(&document).expect("a JSON value always serialises");
        Self {
            json: Form::new("application/json", json),
            yaml: Form::new("application/yaml", yaml::write(&document)),
        }
    }
}

impl Form {
    fn new(media_type: &'static str, text: String) -> Self {
        Self {
            media_type,
            sha256: hex::encode(Sha256::digest(&text)),
            text: text.into(),
        }
    }
}

fn document(base_url: &BaseUrl) -> Value {
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Parafa signing orchestration API",
            "version": VERSION,
            "summary": "Qualified electronic signatures on PDF, ASiC-E and ADOC documents",
            "description": INTRODUCTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_url.to_string()}],
        "security": [{"apiKey": []}],
        "tags": tags(),
        "externalDocs": {"url": base_url.join("/docs")},
        "paths": operations::paths(base_url),
        "webhooks": webhooks::all(),
        "components": {
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, as it was shown when it was issued.",
                },
            },
            "parameters": operations::shared_parameters(),
            "headers": headers::all(),
            "examples": problem_examples(base_url),
            "schemas": schemas::all(),
        },
    })
}

fn tags() -> Vec<Value> {
    let events = json!({"name": "Events", "description": "What the service posts to webhooks."});
    Tag::ALL
        .iter()
        .map(|tag| json!({"name": tag.name(), "description": tag.description()}))
        .chain([events])
        .collect()
}

/// One for each problem that some operation answers.
fn problem_examples(base_url: &BaseUrl) -> Map<String, Value> {
    let answered: Vec<_> = Operation::ALL
        .into_iter()
        .flat_map(Operation::problems)
        .collect();
    ProblemKind::ALL
        .iter()
        .filter(|kind| answered.contains(kind))
        .map(|kind| {
            let example = json!({
                "summary": kind.title(),
                "description": kind.remedy(),
                "value": examples::problem(*kind, base_url),
            });
            (kind.name().to_owned(), example)
        })
        .collect()
}
