//! Where to go on from what was created (OpenAPI 3.1.1, 4.8.20).

use serde_json::{Map, Value, json};

use crate::operation::{Answer, Operation};

/// To every call on what an answer tells of, by the call's id.
pub(super) fn of(answer: Answer) -> Map<String, Value> {
    let Answer::Created(schema) = answer else {
        return Map::new();
    };
    let known = ids(schema);
    Operation::ALL
        .iter()
        .filter_map(|operation| link(operation.contract().id, operation.contract().path, known))
        .collect()
}

/// The ids that an answer of a schema holds: a parameter's name, and the runtime
/// expression (OpenAPI 3.1.1, 4.8.20.4) that finds its value.
fn ids(schema: &str) -> &'static [(&'static str, &'static str)] {
    match schema {
        "Signing" => &[
            ("signingId", "$response.body#/signingId"),
            ("signerId", "$response.body#/signers/0/signerId"),
        ],
        "Signer" => &[
            ("signingId", "$request.path.signingId"),
            ("signerId", "$response.body#/signerId"),
        ],
        "Batch" => &[
            ("batchId", "$response.body#/batchId"),
            ("signingId", "$response.body#/signings/0/signingId"),
        ],
        "StoredFile" => &[("fileToken", "$response.body#/fileToken")],
        _ => &[],
    }
}

/// None where the path has no ids, or one that is not known.
fn link(operation_id: &str, path: &str, known: &[(&str, &str)]) -> Option<(String, Value)> {
    let parameters: Option<Map<_, _>> = path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| {
            let (_, expression) = known.iter().find(|(id, _)| *id == name)?;
            Some((name.to_owned(), Value::from(*expression)))
        })
        .collect();
    let parameters = parameters.filter(|parameters| !parameters.is_empty())?;
    let link = json!({"operationId": operation_id, "parameters": parameters});
    Some((operation_id.to_owned(), link))
}
