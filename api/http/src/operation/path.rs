//! What a path names.

use std::fmt;
use std::marker::PhantomData;

use crate::ids::{PathId, parse_uuid};
use axum::extract::RawPathParams;

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

/// The ids of a path, which name an `R`.
pub trait PathParams<R>: Copy + Send + Sync + 'static {
    /// Name and description of each.
    fn described() -> Vec<(&'static str, &'static str)>;

    /// None when one of them is no UUID, and so the id of nothing.
    fn of(params: &RawPathParams) -> Option<Self>;

    /// None when the path has no ids.
    fn record(self) -> Option<R>;

    /// `template`, with the ids in their usual form in place of their names.
    fn fill(self, template: &str) -> String;
}

impl<R> PathParams<R> for () {
    fn described() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    fn of(_: &RawPathParams) -> Option<Self> {
        Some(())
    }

    fn record(self) -> Option<R> {
        None
    }

    fn fill(self, template: &str) -> String {
        template.to_owned()
    }
}

impl<R, I: PathId + Into<R>> PathParams<R> for I {
    fn described() -> Vec<(&'static str, &'static str)> {
        vec![(I::NAME, I::DESCRIPTION)]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        id(params)
    }

    fn record(self) -> Option<R> {
        Some(self.into())
    }

    fn fill(self, template: &str) -> String {
        put(template, I::NAME, self)
    }
}

impl<R, I: PathId, J: PathId> PathParams<R> for (I, J)
where
    (I, J): Into<R>,
{
    fn described() -> Vec<(&'static str, &'static str)> {
        vec![(I::NAME, I::DESCRIPTION), (J::NAME, J::DESCRIPTION)]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        Some((id(params)?, id(params)?))
    }

    fn record(self) -> Option<R> {
        Some(self.into())
    }

    fn fill(self, template: &str) -> String {
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
