//! Decoding of JSON bodies and queries that finds every fault, not only the
//! first.
//!
//! A body becomes a tree of [`json::Json`]; a [`Node`] is one value of it with
//! its place. Each check on a node answers a value, or `None` after having
//! noted a fault. What a request was decoded to is therefore complete exactly
//! when no fault was noted.

mod base64;
mod date_time;
mod email;
mod fault;
mod json;
mod node;
mod object;
mod query;
mod text;
mod web_address;

pub use self::fault::{Fault, Faults};
pub(crate) use self::fault::{Position, append};
pub(crate) use self::node::Node;
pub use self::node::UNFIT_FOR_LINES;
pub(crate) use self::object::{Either, Object};
pub use self::query::Query;
pub use self::text::disturbs_lines;
use crate::problem::Problem;

/// Decodes a body, and notes the faults of headers and query along with the
/// body's.
pub(crate) fn body<T>(
    bytes: &[u8],
    query: &Query,
    of_headers: Option<Fault>,
    decode: impl FnOnce(&Node<'_>) -> Option<T>,
) -> Result<T, Problem> {
    let faults = Faults::default();
    if let Some(Fault { pointer, detail }) = of_headers {
        faults.note(Position::headers(), pointer, detail);
    }
    query.refuse_all(&faults);
    let decoded = match json::parse(bytes) {
        Ok(json) => decode(&Node::root(&json, &faults)),
        Err(error) => {
            faults.note(Position::body(), String::new(), error.to_string());
            None
        }
    };
    complete(decoded, faults)
}

/// Decodes the query of a call without a body.
pub(crate) fn query<T>(
    query: &Query,
    decode: impl FnOnce(&Query, &Faults) -> Option<T>,
) -> Result<T, Problem> {
    let faults = Faults::default();
    let decoded = decode(query, &faults);
    complete(decoded, faults)
}

fn complete<T>(decoded: Option<T>, faults: Faults) -> Result<T, Problem> {
    let faults = faults.in_document_order();
    match decoded {
        Some(value) if faults.is_empty() => Ok(value),
        _ => Err(Problem::validation(faults)),
    }
}
