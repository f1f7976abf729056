//! Every schema of the document, by its name.

mod events;
mod problem;
mod requests;
mod views;

use serde_json::{Map, Value};

use super::schema::Schema;

/// In the order in which they are listed.
pub(super) fn all() -> Map<String, Value> {
    let schemas = [
        requests::schemas().as_slice(),
        views::schemas().as_slice(),
        events::schemas().as_slice(),
        &[("Problem", problem::problem())],
    ]
    .concat();
    schemas
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema.into()))
        .collect()
}

type Named = (&'static str, Schema);
