//! Decoding of JSON bodies and queries that finds every fault, not only the
//! first, and describes by the same code what it takes.
//!
//! A request is decoded by code that asks a [`Node`] for what it wants, such as
//! a line of at most so many characters, or for members by their names. A node
//! is either one value of a request, with its place: then each question answers
//! a value, or `None` after having noted a fault, and what a request was decoded
//! to is complete exactly when no fault was noted. Or it is one that stands for
//! any value: then each question notes the JSON Schema of what it would have
//! taken, and answers `None`.
//!
//! Code that decodes must therefore ask for all members before it gives up for
//! want of one, and ask for the same whatever the answers are.

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

/// Decodes a body, and notes what is wrong before it (in the path, then in
/// headers) and in the query along with the body's faults.
///
/// # Errors
/// `validation-failed`, with all faults in the order in which they stand in the
/// request.
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

/// Decodes the query of a call without a body, and notes what is wrong before it
/// (in the path, then in headers) along with its faults.
///
/// # Errors
/// `validation-failed`, with all faults in the order in which they stand there.
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
            [Fault::new("/a", "must be true or false, and is a string")]
        );
    }
}
