//! Inputs of calls.

use std::cell::RefCell;
use std::marker::PhantomData;

use serde_json::{Value, json};

use super::contract::BodyKind;
use crate::decode::{Node, Object, body_schema, query_members};
use crate::openapi::Schemas;

/// A request's body.
pub trait FromBody<A>: Sized + Send + 'static {
    /// Decodes and describes it; see [`Node`]. `api` supplies facts that the request does not
    /// contain.
    fn decode(api: &A, node: &Node<'_>) -> Option<Self>;
}

/// The parameters of a request's query.
pub trait FromQuery: Sized + Send + 'static {
    /// Reads and describes them; see [`Object`].
    fn decode(query: &mut Object<'_>) -> Option<Self>;
}

/// Input of an operation.
pub trait Input<A>: 'static {
    /// Decoded value.
    type Value: Send + 'static;

    /// Presence of the body.
    const BODY: BodyKind;

    /// Decodes the body, if that is the input.
    fn of_body(_: &A, _: &Node<'_>) -> Option<Self::Value> {
        None
    }

    /// Decodes the query, if there is no body.
    fn of_query(_: &mut Object<'_>) -> Option<Self::Value> {
        None
    }

    /// The schema of the body, if it has one, and the parameters of the query.
    fn describe(api: &A, schemas: &RefCell<Schemas>) -> (Option<Value>, Vec<Value>) {
        if Self::BODY != BodyKind::None {
            let schema = body_schema(schemas, |node| Self::of_body(api, &node));
            return (Some(schema), Vec::new());
        }
        let members = query_members(schemas, Self::of_query);
        let parameters = members.each().map(|(name, mut schema, required)| {
            let mut parameter = json!({"name": name, "in": "query"});
            if let Some(description) = schema
                .as_object_mut()
                .and_then(|schema| schema.shift_remove("description"))
            {
                parameter["description"] = description;
            }
            if required {
                parameter["required"] = true.into();
            }
            parameter["schema"] = schema;
            parameter
        });
        (None, parameters.collect())
    }
}

/// Neither body nor parameters.
pub struct NoInput;

/// Parameters.
pub struct Parameters<T>(PhantomData<T>);

/// A body without members, or no body.
pub struct Nothing;

/// A body.
pub struct WholeBody<T>(PhantomData<T>);

/// An optional body; without one, an object without members.
pub struct MaybeBody<T>(PhantomData<T>);

impl<A> Input<A> for NoInput {
    type Value = ();

    const BODY: BodyKind = BodyKind::None;

    fn of_query(_: &mut Object<'_>) -> Option<()> {
        Some(())
    }
}

impl<A, T: FromQuery> Input<A> for Parameters<T> {
    type Value = T;

    const BODY: BodyKind = BodyKind::None;

    fn of_query(query: &mut Object<'_>) -> Option<T> {
        T::decode(query)
    }
}

impl<A> Input<A> for Nothing {
    type Value = ();

    const BODY: BodyKind = BodyKind::Optional;

    fn of_body(_: &A, node: &Node<'_>) -> Option<()> {
        node.object("EmptyRequest", |_| Some(()))
    }
}

impl<A, T: FromBody<A>> Input<A> for WholeBody<T> {
    type Value = T;

    const BODY: BodyKind = BodyKind::Required;

    fn of_body(api: &A, node: &Node<'_>) -> Option<T> {
        T::decode(api, node)
    }
}

impl<A, T: FromBody<A>> Input<A> for MaybeBody<T> {
    type Value = T;

    const BODY: BodyKind = BodyKind::Optional;

    fn of_body(api: &A, node: &Node<'_>) -> Option<T> {
        T::decode(api, node)
    }
}
