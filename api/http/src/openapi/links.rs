//! Links from created records (OpenAPI 3.1.1, 4.8.20).

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::operation::{Contract, PathParameter};

/// Links to every call on the record of an answer, by the call's id.
pub(super) fn of<A: Api>(
    created: &Contract<A>,
    contracts: &[Arc<Contract<A>>],
) -> Map<String, Value> {
    contracts
        .iter()
        .filter_map(|contract| link(contract, created.ids))
        .collect()
}

/// `None` if the path has no ids, or an unknown one.
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
