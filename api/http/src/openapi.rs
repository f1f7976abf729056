//! Description of an API (OpenAPI 3.1.1), from the same table as its routes.

mod headers;
mod links;
mod operations;
mod schemas;
mod unions;
mod yaml;

use std::cell::RefCell;

use serde_json::{Map, Value, json};

pub use self::headers::OwnHeader;
use self::operations::Described;
pub use self::schemas::Schemas;
use crate::api::Api;
use crate::edge::RequestId;
use crate::encoded::Encoded;
use crate::operation::Entry;
use crate::principal::Security;
use crate::problem::{ProblemFormat, ProblemType};
use crate::served::Http;

/// The document in its two forms.
pub(crate) struct Description {
    pub(crate) json: Encoded,
    pub(crate) yaml: Encoded,
}

impl Description {
    pub(crate) fn new<A: Api, F: ProblemFormat>(http: &Http<A>, format: &F) -> Self {
        let document = document(http, format);
        let json = serde_json::to_string_pretty(&document).expect("a JSON value always serialises");
        Self {
            json: Encoded::new("application/json", json),
            yaml: Encoded::new("application/yaml", yaml::write(&document)),
        }
    }
}

/// The document itself.
pub(crate) fn document<A: Api, F: ProblemFormat>(http: &Http<A>, format: &F) -> Value {
    let (reference, base_url) = (&http.reference, &http.config.base_url);
    let schemas = RefCell::new(Schemas::new());
    let described = Described {
        http,
        schemas: &schemas,
        refusal: schemas.borrow_mut().of::<F::Body>(),
        refusal_media_type: F::MEDIA_TYPE,
        translated: &|kind| format.translated(kind),
    };
    let paths = described.paths();
    let webhooks = (reference.webhooks)(&mut schemas.borrow_mut());
    let tags = reference.tags.iter();
    let tags = tags.map(|tag| json!({"name": tag.name, "description": tag.description}));
    let challenges = credentials(http).map(|(_, security)| security.challenge());
    let challenges = challenges.collect();
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": reference.title,
            "version": reference.version,
            "summary": reference.summary,
            "description": reference.description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_url.to_string()}],
        "security": [{USUAL: []}],
        "tags": tags.collect::<Vec<_>>(),
        "externalDocs": {"url": base_url.join(&format!("{}/docs", reference.folder))},
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "securitySchemes": security_schemes(http),
            "parameters": described.shared_parameters(),
            "headers": headers::all(&challenges, reference.headers),
            "examples": problem_examples(http, format),
        },
    });
    document["components"]["schemas"] = schemas.into_inner().into_components().into();
    document
}

/// Name of the usual security scheme.
pub(crate) const USUAL: &str = "apiKey";

/// The usual credentials, and those of operations that have their own.
fn credentials<A: Api>(http: &Http<A>) -> impl Iterator<Item = (&'static str, Security)> {
    let own = http.contracts.iter();
    let own = own.filter_map(|contract| match &contract.entry {
        Entry::By(credential) => Some((credential.name, credential.security)),
        Entry::Usual | Entry::AnyKey | Entry::Anybody(_) => None,
    });
    std::iter::once((USUAL, http.reference.security)).chain(own)
}

/// The credentials as security schemes.
fn security_schemes<A: Api>(http: &Http<A>) -> Map<String, Value> {
    credentials(http)
        .map(|(name, security)| (name.to_owned(), security.scheme()))
        .collect()
}

/// One example for each problem that some operation answers.
fn problem_examples<A: Api, F: ProblemFormat>(http: &Http<A>, format: &F) -> Map<String, Value> {
    let reference = &http.reference;
    let answered: Vec<_> = http
        .contracts
        .iter()
        .flat_map(|contract| contract.problems())
        .map(|kind| format.translated(kind))
        .collect();
    let kinds = reference.problems.iter();
    let kinds = kinds.filter(|kind| answered.contains(kind));
    let example = |kind: &ProblemType| {
        let problem = (reference.refusal)(*kind, &http.config.base_url);
        let value = serde_json::to_value(format.body(&problem, &RequestId::example()));
        let example = json!({
            "summary": kind.title,
            "description": kind.remedy,
            "value": value.expect("strings and integers always serialise"),
        });
        (kind.name.to_owned(), example)
    };
    kinds.map(example).collect()
}
