//! Documentation of an API: its description, as a document and as pages, a guide, and its problems.
//! All of it is public.

mod guide;
mod manual;
mod pages;

use serde_json::{Map, Value};

pub use self::guide::{Guide, SetUp, Step};
pub(crate) use self::pages::pages;
use crate::config::BaseUrl;
use crate::openapi::{OwnHeader, Schemas};
use crate::principal::Security;
use crate::problem::{Problem, ProblemType};

/// Documentation of an API as a whole.
pub struct Reference<A> {
    /// Folder of its description and pages; empty for the API whose neighbours the others are.
    pub folder: &'static str,
    /// The title of its description.
    pub title: &'static str,
    /// The version of the interface.
    pub version: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Description: some paragraphs in Markdown.
    pub description: &'static str,
    /// Tags of operations, in documentation order.
    pub tags: &'static [Tag],
    /// Authentication of callers.
    pub security: Security,
    /// Every problem that has a page.
    pub problems: Vec<ProblemType>,
    /// Advice instead of a body that is too long: a sentence.
    pub advice_on_long_bodies: &'static str,
    /// Headers of downloads beside the usual ones.
    pub headers: &'static [OwnHeader],
    /// The example of a request or a view of a call, by the call's id and the
    /// name of the schema.
    pub example: fn(&str, &str, &BaseUrl) -> Option<Value>,
    /// Installed components, for the guide.
    pub set_up: fn(&A) -> Vec<SetUp>,
    /// An occurrence of a problem.
    pub refusal: fn(ProblemType, &BaseUrl) -> Problem,
    /// Filter of jq for a sample key in `demo.json`.
    pub demo_key: &'static str,
    /// The way from nothing to a first result.
    pub guide: Guide,
    /// Webhooks of the API, by kind of event.
    pub webhooks: fn(&mut Schemas) -> Map<String, Value>,
}

/// Tag of operations.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tag {
    /// One word.
    pub name: &'static str,
    /// Description in one sentence.
    pub description: &'static str,
}
