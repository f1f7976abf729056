//! Where to go on from what was created (OpenAPI 3.1.1, 4.8.20).

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::operation::{Contract, PathParameter};

/// To every call on what an answer tells of, by the call's id.
pub(super) fn of<A: Api>(
    created: &Contract<A>,
    contracts: &[Arc<Contract<A>>],
) -> Map<String, Value> {
    contracts
        .iter()
        .filter_map(|contract| link(contract, created.ids))
        .collect()
}

/// None where the path has no ids, or one that is not known.
fn link<A: Api>(contract: &Contract<A>, known: &[(&str, &str)]) -> Option<(String, Value)> {
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
