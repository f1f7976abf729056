//! Path items, from the table of operations.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::schema::Schema;
use super::{examples, headers, links};
use crate::config::BaseUrl;
use crate::operation::{Answer, Body, Operation};
use crate::problem::ProblemKind;
use crate::requests::limits;

/// All paths with their operations.
pub(super) fn paths(base_url: &BaseUrl) -> Map<String, Value> {
    let mut paths = Map::new();
    for operation in Operation::ALL {
        let contract = operation.contract();
        let item = paths
            .entry(contract.path)
            .or_insert_with(|| path_item(contract.path));
        item[contract.method.as_str().to_lowercase()] = describe(operation, base_url);
    }
    paths
}

fn path_item(path: &str) -> Value {
    let parameters: Vec<_> = path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| reference("parameters", name))
        .collect();
    match parameters.is_empty() {
        true => json!({}),
        false => json!({"parameters": parameters}),
    }
}

fn describe(operation: Operation, base_url: &BaseUrl) -> Value {
    let contract = operation.contract();
    let mut described = json!({
        "operationId": contract.id,
        "tags": [contract.tag.name()],
        "summary": contract.summary,
        "description": contract.description,
        "parameters": parameters(operation),
    });
    if let Some(body) = body(contract.body, base_url) {
        described["requestBody"] = body;
    }
    described["responses"] = responses(operation, base_url).into();
    described
}

fn parameters(operation: Operation) -> Vec<Value> {
    let mut parameters = vec![reference("parameters", "RequestId")];
    if operation.creates() {
        parameters.push(reference("parameters", "IdempotencyKey"));
    }
    if operation == Operation::ListSignings {
        let page = Schema::integer(&limits::PAGE).default(limits::DEFAULT_PAGE);
        for (name, schema, description) in [
            (
                "status",
                Schema::named("SigningStatus"),
                "Only signings that stand there.",
            ),
            ("limit", page, "Longest page."),
            (
                "startingAfter",
                Schema::uuid(),
                "nextCursor of the page before.",
            ),
        ] {
            parameters.push(json!({
                "name": name,
                "in": "query",
                "description": description,
                "schema": Value::from(schema),
            }));
        }
    }
    if operation == Operation::DownloadDocument {
        parameters.push(reference("parameters", "IfNoneMatch"));
    }
    parameters
}

fn body(body: Body, base_url: &BaseUrl) -> Option<Value> {
    let (required, schema, example) = match body {
        Body::None => return None,
        Body::Nothing => (false, Schema::object([]), None),
        Body::Optional(name) => (false, Schema::named(name), examples::of(name, base_url)),
        Body::Required(name) => (true, Schema::named(name), examples::of(name, base_url)),
    };
    Some(json!({
        "required": required,
        "content": {"application/json": content(schema, example)},
    }))
}

fn responses(operation: Operation, base_url: &BaseUrl) -> Map<String, Value> {
    let mut responses = Map::new();
    let answer = operation.contract().answer;
    responses.insert(
        answer.status().as_str().to_owned(),
        success(answer, base_url),
    );
    if answer == Answer::Document {
        responses.insert(
            StatusCode::NOT_MODIFIED.as_str().to_owned(),
            json!({
                "description": "The caller has these bytes already.",
                "headers": headers::references(&["X-Request-Id", "RateLimit", "RateLimit-Policy", "ETag"]),
            }),
        );
    }
    let problems = operation.problems();
    for of_one_status in problems.chunk_by(|one, other| one.status() == other.status()) {
        if let [first, ..] = of_one_status {
            responses.insert(
                first.status().as_str().to_owned(),
                refusal(first.status(), of_one_status),
            );
        }
    }
    responses
}

fn success(answer: Answer, base_url: &BaseUrl) -> Value {
    let mut names = vec!["X-Request-Id", "RateLimit", "RateLimit-Policy"];
    let json_content = |name| json!({"application/json": content(Schema::named(name), examples::of(name, base_url))});
    let (description, content) = match answer {
        Answer::Json(name) => ("Done.", Some(json_content(name))),
        Answer::Created(name) => {
            names.push("Idempotent-Replayed");
            if !matches!(name, "Comment" | "Signer") {
                names.push("Location");
            }
            ("Created.", Some(json_content(name)))
        }
        Answer::Document => {
            names.extend([
                "X-Service-Document-Sha256",
                "X-Service-Sandbox",
                "Content-Disposition",
                "ETag",
            ]);
            let bytes = json!({"application/octet-stream": {}});
            ("The document itself.", Some(bytes))
        }
        Answer::Empty => ("Done.", None),
    };
    let mut response = json!({
        "description": description,
        "headers": headers::references(&names),
    });
    if let Some(content) = content {
        response["content"] = content;
    }
    let links = links::of(answer);
    if !links.is_empty() {
        response["links"] = links.into();
    }
    response
}

/// All problems of one status.
fn refusal(status: StatusCode, kinds: &[ProblemKind]) -> Value {
    let mut names = vec!["X-Request-Id"];
    if status == StatusCode::UNAUTHORIZED {
        names.push("WWW-Authenticate");
    } else {
        names.extend(["RateLimit", "RateLimit-Policy"]);
    }
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
        .map(|kind| format!("`{}`: {}", kind.name(), kind.meaning()))
        .collect();
    let examples: Map<_, _> = kinds
        .iter()
        .map(|kind| (kind.name().to_owned(), reference("examples", kind.name())))
        .collect();
    json!({
        "description": description.join("\n\n"),
        "headers": headers::references(&names),
        "content": {
            "application/problem+json": {
                "schema": Value::from(Schema::named("Problem")),
                "examples": examples,
            },
        },
    })
}

fn content(schema: Schema, example: Option<Value>) -> Value {
    let mut content = json!({"schema": Value::from(schema)});
    if let Some(example) = example {
        content["example"] = example;
    }
    content
}

fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// Parameters that operations refer to.
pub(super) fn shared_parameters() -> Map<String, Value> {
    let in_path = |name: &str, description: &str| {
        let parameter = json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": description,
            "schema": Value::from(Schema::uuid()),
        });
        (name.to_owned(), parameter)
    };
    let in_header = |key: &str, name: &str, description: &str, schema: Schema| {
        let parameter = json!({
            "name": name,
            "in": "header",
            "description": description,
            "schema": Value::from(schema),
        });
        (key.to_owned(), parameter)
    };
    [
        in_path("signingId", "The signing."),
        in_path("signerId", "The party of the signing."),
        in_path("batchId", "The batch."),
        in_path("fileToken", "The stored file."),
        in_header(
            "IdempotencyKey",
            headers::IDEMPOTENCY_KEY,
            "Repeating the request with the same key within 24 hours gets the same answer and creates nothing more.",
            Schema::string()
                .min_length(1)
                .max_length(crate::api::IdempotencyKey::LONGEST)
                .pattern("^[!-~]+$"),
        ),
        in_header(
            "RequestId",
            headers::REQUEST_ID,
            "Comes back with the answer, if it is at most 128 visible ASCII characters.",
            Schema::string(),
        ),
        in_header(
            "IfNoneMatch",
            "If-None-Match",
            "Entity tags of the versions that the caller has.",
            Schema::string(),
        ),
    ]
    .into_iter()
    .collect()
}
