//! Where to go on from what was created (OpenAPI 3.1.1, 4.8.20).

use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::operation::{Operation, PathParameter};

/// To every call on what an answer tells of, by the call's id.
pub(super) fn of<A: Api>(
    created: &Operation<A>,
    operations: &[Operation<A>],
) -> Map<String, Value> {
    operations
        .iter()
        .filter_map(|operation| link(operation, created.ids))
        .collect()
}

/// None where the path has no ids, or one that is not known.
fn link<A: Api>(operation: &Operation<A>, known: &[(&str, &str)]) -> Option<(String, Value)> {
    let contract = &operation.contract;
    let parameters: Option<Map<_, _>> = contract
        .path_parameters
        .iter()
        .map(|PathParameter { name, .. }| {
            let (_, expression) = known.iter().find(|(id, _)| id == name)?;
            Some(((*name).to_owned(), Value::from(*expression)))
        })
        .collect();
    let parameters = parameters.filter(|parameters| !parameters.is_empty())?;
    let link = json!({"operationId": contract.id, "parameters": parameters});
    Some((contract.id.to_owned(), link))
}
