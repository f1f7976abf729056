//! Facts on an API beside its description, and the paths of its pages.

use crate::api::Api;
use crate::problem::ProblemType;
use crate::reference::Reference;

/// Facts on an API beside its description.
pub(in crate::reference) struct About {
    pub(super) folder: &'static str,
    pub(super) title: &'static str,
    pub(super) demo_key: &'static str,
    pub(super) problems: Vec<ProblemType>,
}

impl About {
    pub(in crate::reference) fn of<A: Api>(reference: &Reference<A>) -> Self {
        Self {
            folder: reference.folder,
            title: reference.title,
            demo_key: reference.demo_key,
            problems: reference.problems.clone(),
        }
    }

    /// The path of the page that lists all calls.
    pub(super) fn index(&self) -> String {
        format!("{}/docs/reference", self.folder)
    }

    /// The path of the page of a call or event.
    pub(super) fn call(&self, id: &str) -> String {
        format!("{}/{id}", self.index())
    }

    /// The path of the page that lists all schemas.
    pub(super) fn schemas(&self) -> String {
        format!("{}/schemas", self.index())
    }

    /// The path of the page of a schema.
    pub(super) fn schema(&self, name: &str) -> String {
        format!("{}/{name}", self.schemas())
    }

    /// The path of the page of a problem.
    pub(super) fn problem(&self, name: &str) -> String {
        format!("{}/problems/{name}", self.folder)
    }
}
