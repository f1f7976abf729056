//! What is to be read about an API: its description, as a document and as pages, a
//! guide, and what problems mean. All of it is public.

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

/// What is told of an API as a whole.
pub struct Reference<A> {
    /// The folder of its description and pages: none for the API that others on
    /// the same listener are neighbours of.
    pub folder: &'static str,
    /// The title of its description.
    pub title: &'static str,
    /// The version of the interface.
    pub version: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Some paragraphs, in Markdown.
    pub description: &'static str,
    /// What operations are about, in the order in which they are documented.
    pub tags: &'static [Tag],
    /// How callers authenticate.
    pub security: Security,
    /// Every problem that has a page.
    pub problems: Vec<ProblemType>,
    /// What to do instead of sending a body that is too long: a sentence.
    pub advice_on_long_bodies: &'static str,
    /// Headers of downloads beside the usual ones.
    pub headers: &'static [OwnHeader],
    /// The example of a request or a view of a call, by the call's id and the
    /// name of the schema.
    pub example: fn(&str, &str, &BaseUrl) -> Option<Value>,
    /// What is set up here, for the guide.
    pub set_up: fn(&A) -> Vec<SetUp>,
    /// An occurrence of a problem.
    pub refusal: fn(ProblemType, &BaseUrl) -> Problem,
    /// Where a key for samples is in `demo.json`, as a filter of jq.
    pub demo_key: &'static str,
    /// The way from nothing to a first result.
    pub guide: Guide,
    /// What the service posts to callers, by the kind of event.
    pub webhooks: fn(&mut Schemas) -> Map<String, Value>,
}

/// What operations are about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tag {
    /// One word.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
}
