//! Path items, from the table of operations.

use std::cell::RefCell;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{Schemas, headers, links};
use crate::api::Api;
use crate::idempotency::IdempotencyKey;
use crate::operation::{Answer, BodyKind, Contract, Entry};
use crate::problem::ProblemType;
use crate::served::Http;

/// Headers of every answer.
const USUAL_HEADERS: [&str; 3] = [headers::REQUEST_ID, "RateLimit", "RateLimit-Policy"];

/// An API that is being described.
pub(super) struct Described<'d, A: Api> {
    pub(super) http: &'d Http<A>,
    pub(super) schemas: &'d RefCell<Schemas>,
    /// The schema of refusals.
    pub(super) refusal: Value,
    pub(super) refusal_media_type: &'static str,
    /// The API's own type in place of a common problem.
    pub(super) translated: &'d dyn Fn(ProblemType) -> ProblemType,
}

impl<A: Api> Described<'_, A> {
    /// All paths with their operations.
    pub(super) fn paths(&self) -> Map<String, Value> {
        let mut paths = Map::new();
        for contract in &*self.http.contracts {
            let ids = contract.path_parameters.iter();
            let ids: Vec<_> = ids
                .map(|parameter| reference("parameters", parameter.name))
                .collect();
            let item = paths
                .entry(contract.path)
                .or_insert_with(|| match ids.is_empty() {
                    true => json!({}),
                    false => json!({"parameters": ids}),
                });
            item[contract.method.as_str().to_lowercase()] = self.describe(contract);
        }
        paths
    }

    fn describe(&self, contract: &Contract<A>) -> Value {
        let (body, of_query) = (contract.input)(&self.http.api, self.schemas);
        let mut parameters = vec![reference("parameters", "RequestId")];
        if contract.answer.is_kept() {
            parameters.push(reference("parameters", "IdempotencyKey"));
        }
        parameters.extend(of_query);
        if contract.answer == Answer::Download {
            parameters.push(reference("parameters", "IfNoneMatch"));
        }
        let mut described = json!({
            "operationId": contract.id,
            "tags": [contract.tag],
            "summary": contract.summary,
            "description": contract.description,
            "parameters": parameters,
        });
        if let Some(schema) = body {
            described["requestBody"] = json!({
                "required": contract.body == BodyKind::Required,
                "content": self.json_content(contract.id, &schema),
            });
        }
        match &contract.entry {
            Entry::Usual | Entry::AnyKey => {}
            Entry::By(credential) => described["security"] = json!([{credential.name: []}]),
            Entry::Anybody(_) => described["security"] = json!([]),
        }
        described["responses"] = self.responses(contract).into();
        described
    }

    /// A body of this schema, with its example for this call.
    fn json_content(&self, call: &str, schema: &Value) -> Value {
        let name = schema["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        let base_url = &self.http.config.base_url;
        let example = |name| (self.http.reference.example)(call, name, base_url);
        let example = name.and_then(example);
        let mut content = json!({"schema": schema});
        if let Some(example) = example {
            content["example"] = example;
        }
        json!({"application/json": content})
    }

    fn responses(&self, contract: &Contract<A>) -> Map<String, Value> {
        let mut responses = Map::new();
        let answer = contract.answer;
        responses.insert(answer.status().as_str().to_owned(), self.success(contract));
        if answer == Answer::Download {
            let headers = [USUAL_HEADERS.as_slice(), &["ETag"]].concat();
            responses.insert(
                StatusCode::NOT_MODIFIED.as_str().to_owned(),
                json!({
                    "description": "The caller has these bytes already.",
                    "headers": headers::references(&headers),
                }),
            );
        }
        let answered = contract.problems().into_iter();
        let answered: Vec<_> = answered.map(self.translated).collect();
        let mut problems = self.http.reference.problems.clone();
        problems.retain(|kind| answered.contains(kind));
        problems.sort_by_key(|kind| kind.status);
        for of_one_status in problems.chunk_by(|one, other| one.status == other.status) {
            if let [first, ..] = of_one_status {
                responses.insert(
                    first.status.as_str().to_owned(),
                    self.refusal(first.status, of_one_status),
                );
            }
        }
        responses
    }

    fn success(&self, contract: &Contract<A>) -> Value {
        let mut names = USUAL_HEADERS.to_vec();
        let view = (contract.view)(&mut self.schemas.borrow_mut());
        let content = view.map(|schema| self.json_content(contract.id, &schema));
        let (description, content) = match contract.answer {
            Answer::Json([]) | Answer::Empty => ("Done.", content),
            Answer::Json(forms) | Answer::Forms(forms) => {
                names.push("Content-Disposition");
                if contract.answer.is_kept() {
                    names.push("Idempotent-Replayed");
                }
                let mut content = content.unwrap_or_default();
                for form in forms {
                    content[form.media_type] = json!({"schema": (form.schema)()});
                }
                ("The answer, in the form that was asked for.", Some(content))
            }
            Answer::Created(status) => {
                names.push("Idempotent-Replayed");
                if self.has_address(contract) {
                    names.push("Location");
                }
                let done = match status {
                    StatusCode::ACCEPTED => "Accepted.",
                    _ => "Created.",
                };
                (done, content)
            }
            Answer::Download => {
                names.push("X-Service-Document-Sha256");
                names.extend(self.http.reference.headers.iter().map(|(name, ..)| *name));
                names.extend(["Content-Disposition", "ETag"]);
                let bytes = json!({"schema": {"type": "string", "format": "binary"}});
                let bytes = json!({contract.download_type: bytes});
                ("The document itself.", Some(bytes))
            }
        };
        let mut response = json!({
            "description": description,
            "headers": headers::references(&names),
        });
        if let Some(content) = content {
            response["content"] = content;
        }
        let links = links::of(contract, &self.http.contracts);
        if !links.is_empty() {
            response["links"] = links.into();
        }
        response
    }

    /// Returns true if the created record can be read below the path that was posted to.
    fn has_address(&self, creation: &Contract<A>) -> bool {
        self.http.contracts.iter().any(|contract| {
            contract.method == http::Method::GET
                && contract
                    .path
                    .strip_prefix(creation.path)
                    .is_some_and(|rest| {
                        rest.starts_with("/{") && rest.ends_with('}') && !rest[1..].contains('/')
                    })
        })
    }

    /// All problems of one status.
    fn refusal(&self, status: StatusCode, kinds: &[ProblemType]) -> Value {
        let mut names = match status {
            StatusCode::UNAUTHORIZED => vec![headers::REQUEST_ID, "WWW-Authenticate"],
            _ => USUAL_HEADERS.to_vec(),
        };
        if [
            StatusCode::CONFLICT,
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::SERVICE_UNAVAILABLE,
        ]
        .contains(&status)
        {
            names.push("Retry-After");
        }
        let description: Vec<_> = kinds
            .iter()
            .map(|kind| format!("`{}`: {}", kind.name, kind.meaning))
            .collect();
        let examples: Map<_, _> = kinds
            .iter()
            .map(|kind| (kind.name.to_owned(), reference("examples", kind.name)))
            .collect();
        json!({
            "description": description.join("\n\n"),
            "headers": headers::references(&names),
            "content": {
                self.refusal_media_type: {"schema": self.refusal, "examples": examples},
            },
        })
    }

    /// Parameters that operations refer to.
    pub(super) fn shared_parameters(&self) -> Map<String, Value> {
        let ids = self.http.contracts.iter();
        let ids = ids.flat_map(|contract| contract.path_parameters.clone());
        let in_path = ids.map(|parameter| {
            let described = json!({
                "name": parameter.name,
                "in": "path",
                "required": true,
                "description": parameter.description,
                "schema": parameter.schema,
            });
            (parameter.name.to_owned(), described)
        });
        let text = json!({"type": "string"});
        let in_headers = [
            (
                "IdempotencyKey",
                headers::IDEMPOTENCY_KEY,
                "Repeating the request with the same key within 24 hours returns the same answer; nothing is created or charged again.",
                json!({
                    "type": "string",
                    "minLength": 1,
                    "maxLength": IdempotencyKey::LONGEST,
                    "pattern": "^[!-~]+$",
                }),
            ),
            (
                "RequestId",
                headers::REQUEST_ID,
                "Returned with the answer if it is at most 128 visible ASCII characters.",
                text.clone(),
            ),
            (
                "IfNoneMatch",
                "If-None-Match",
                "Entity tags of the versions that the caller has.",
                text,
            ),
        ];
        let in_headers = in_headers.map(|(key, name, description, schema)| {
            let parameter = json!({
                "name": name,
                "in": "header",
                "description": description,
                "schema": schema,
            });
            (key.to_owned(), parameter)
        });
        in_path.chain(in_headers).collect()
    }
}

fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}
