//! Parameters of a path.

use std::fmt;
use std::marker::PhantomData;

use axum::extract::RawPathParams;
use serde_json::{Value, json};

use crate::decode::Fault;
use crate::ids::{PathId, parse_uuid};

/// A template of paths, with the names of its ids in braces.
pub struct Path<P> {
    pub(crate) template: &'static str,
    ids: PhantomData<fn() -> P>,
}

impl<P> Path<P> {
    /// `template` has the ids of `P`, in their order.
    #[must_use]
    pub const fn new(template: &'static str) -> Self {
        Self {
            template,
            ids: PhantomData,
        }
    }
}

impl<P> Clone for Path<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Path<P> {}

/// A parameter of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathParameter {
    /// Name in templates.
    pub name: &'static str,
    /// Description for callers.
    pub description: &'static str,
    /// Schema of the value.
    pub schema: Value,
    /// True if it names a record, which may be absent.
    pub is_id: bool,
}

impl PathParameter {
    fn of_id<I: PathId>() -> Self {
        Self {
            name: I::NAME,
            description: I::DESCRIPTION,
            schema: json!({"type": "string", "format": "uuid"}),
            is_id: true,
        }
    }
}

/// Parameters of a path: ids, which name an `R`, or others.
pub trait PathParams<R>: Clone + Send + Sync + 'static {
    /// All parameters.
    fn described() -> Vec<PathParameter>;

    /// `None` if one of them is not a UUID.
    fn of(params: &RawPathParams) -> Option<Self>;

    /// Fault of a parameter that is not a valid id.
    fn fault(&self) -> Option<Fault> {
        None
    }

    /// `None` if the path has no ids.
    fn record(&self) -> Option<R>;

    /// `template`, with the ids in their usual form in place of their names.
    fn fill(&self, template: &str) -> String;
}

impl<R> PathParams<R> for () {
    fn described() -> Vec<PathParameter> {
        Vec::new()
    }

    fn of(_: &RawPathParams) -> Option<Self> {
        Some(())
    }

    fn record(&self) -> Option<R> {
        None
    }

    fn fill(&self, template: &str) -> String {
        template.to_owned()
    }
}

impl<R, I: PathId + Into<R>> PathParams<R> for I {
    fn described() -> Vec<PathParameter> {
        vec![PathParameter::of_id::<I>()]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        id(params)
    }

    fn record(&self) -> Option<R> {
        Some((*self).into())
    }

    fn fill(&self, template: &str) -> String {
        put(template, I::NAME, self)
    }
}

impl<R, I: PathId, J: PathId> PathParams<R> for (I, J)
where
    (I, J): Into<R>,
{
    fn described() -> Vec<PathParameter> {
        vec![PathParameter::of_id::<I>(), PathParameter::of_id::<J>()]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        Some((id(params)?, id(params)?))
    }

    fn record(&self) -> Option<R> {
        Some((*self).into())
    }

    fn fill(&self, template: &str) -> String {
        put(&put(template, I::NAME, self.0), J::NAME, self.1)
    }
}

fn id<I: PathId>(params: &RawPathParams) -> Option<I> {
    let (_, segment) = params.iter().find(|(known, _)| *known == I::NAME)?;
    parse_uuid(segment).map(I::from)
}

fn put(template: &str, name: &str, id: impl fmt::Display) -> String {
    template.replace(&format!("{{{name}}}"), &id.to_string())
}
