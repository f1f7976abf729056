//! Decoding of JSON bodies and queries that finds every fault, not only the first, and describes
//! accepted requests by the same code.
//!
//! Code that decodes asks a [`Node`] for what it wants, such as a line of limited length, or for
//! members by name. A node is of one of two kinds. Some are a value of a request, with its
//! position. Each question then returns a value, or `None` after recording a fault; a decoded
//! request is complete exactly if no fault was recorded. Others stand for any value. Each question
//! then records the JSON Schema of what it accepts, and returns `None`.
//!
//! Decoders must therefore ask for all members before they give up for want of one, and must ask
//! for the same whatever the answers are.

mod base64;
mod date_time;
mod email;
mod fault;
mod json;
mod located;
mod node;
mod object;
mod patterns;
mod query;
mod schema_recorder;
mod text;
mod web_address;

pub use self::email::{mailbox, parse as mail_address};
pub use self::fault::{Fault, append};
pub(crate) use self::fault::{Faults, Position};
use self::located::Located;
pub use self::node::Node;
pub use self::object::Object;
pub use self::patterns::file_name_pattern;
pub use self::query::Query;
pub(crate) use self::schema_recorder::{body_schema, query_members};
pub use self::text::line_fault;
use crate::problem::Problem;

/// Decodes a body. Faults before it (in the path, then in headers) and in the query are reported
/// together with the body's.
///
/// # Errors
/// `validation-failed`, with all faults in the order of the request.
pub fn body<T>(
    bytes: &[u8],
    query: &Query,
    before: impl IntoIterator<Item = Fault>,
    decode: impl FnOnce(Node<'_>) -> Option<T>,
) -> Result<T, Problem> {
    let faults = Faults::default();
    for Fault { pointer, detail } in before {
        faults.note(Position::headers(), pointer, detail);
    }
    query.decode(&faults, |_| Some(()));
    let decoded = match json::parse(bytes) {
        Ok(json) => Located::of_body(&json, &faults).decode(decode),
        Err(error) => {
            faults.note(Position::body(), String::new(), error.to_string());
            None
        }
    };
    complete(decoded, faults)
}

/// Decodes the query of a call without a body. Faults before it (in the path, then in headers) are
/// reported together with its own.
///
/// # Errors
/// `validation-failed`, with all faults in the order of the request.
pub fn query<T>(
    query: &Query,
    before: impl IntoIterator<Item = Fault>,
    decode: impl FnOnce(&mut Object<'_>) -> Option<T>,
) -> Result<T, Problem> {
    let faults = Faults::default();
    for Fault { pointer, detail } in before {
        faults.note(Position::headers(), pointer, detail);
    }
    let decoded = query.decode(&faults, decode);
    complete(decoded, faults)
}

fn complete<T>(decoded: Option<T>, faults: Faults) -> Result<T, Problem> {
    let faults = faults.in_document_order();
    match decoded {
        Some(value) if faults.is_empty() => Ok(value),
        _ => Err(Problem::validation(faults)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(json: &str, decode: impl FnOnce(Node<'_>) -> Option<()>) -> Vec<Fault> {
        let refused = body(json.as_bytes(), &Query::parse(""), None, decode).unwrap_err();
        refused.errors().to_vec()
    }

    #[test]
    fn what_a_decoder_gives_up_without_a_word_is_a_fault_where_it_stands() {
        let unsaid = |pointer: &str| Fault::new(pointer, "is not accepted");

        assert_eq!(faults("{}", |_| None), [unsaid("")]);
        let members = faults(r#"{"a":1,"b":2,"c":[3],"d":4}"#, |node| {
            node.object("Sample", |object| {
                object.required("a", |_| None::<()>);
                object.optional("b", |_| None::<()>);
                object.required("c", |node| node.items(1..=1, |_| None::<()>));
                object.either(("d", |_| None::<()>), ("e", |_| Some(())))
            })
        });
        assert_eq!(members, ["/a", "/b", "/c/0", "/d"].map(unsaid));
    }

    #[test]
    fn a_member_is_not_refused_twice() {
        let refused = faults(r#"{"a":"x"}"#, |node| {
            node.object("Sample", |object| {
                object.required("a", |node| node.boolean().map(drop))
            })
        });
        assert_eq!(
            refused,
            [Fault::new("/a", "must be true or false, but is a string")]
        );
    }
}
