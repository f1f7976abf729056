//! The reference of an API as pages: one that lists its calls, and one for each
//! call, event and schema. They are written from the OpenAPI document, which is all
//! that they know of the API, so that what is described is what can be read.

mod about;
mod conditions;
mod document;
mod index;
mod markdown;
mod members;
mod operation;
mod samples;
mod schema;
mod search;
mod types;

use std::collections::HashMap;

use maud::Markup;
use serde_json::Value;

pub(super) use self::about::About;
use self::document::Document;
use self::search::Search;
use crate::pages::PublicPage;

/// The pages of one API.
pub(super) struct Manual {
    about: About,
    index: PublicPage,
    schema_list: PublicPage,
    calls: HashMap<String, PublicPage>,
    schemas: HashMap<String, PublicPage>,
    search: Search,
}

impl Manual {
    /// The pages of the API that an OpenAPI document describes.
    pub(super) fn new(description: &Value, about: About) -> Self {
        let document = Document::new(description, &about);
        let calls = document.calls().into_iter().map(|call| {
            let page = operation::page(&document, &call);
            (call.id.to_owned(), PublicPage::new(page))
        });
        let schemas = document.schemas().map(|(name, schema)| {
            let page = schema::page(&document, name, schema);
            (name.to_owned(), PublicPage::new(page))
        });
        Self {
            index: PublicPage::new(index::page(&document)),
            schema_list: PublicPage::new(index::schemas(&document)),
            calls: calls.collect(),
            schemas: schemas.collect(),
            search: Search::of(&document),
            about,
        }
    }

    /// All calls and events, by what they are about.
    pub(super) fn index(&self) -> &PublicPage {
        &self.index
    }

    /// All schemas.
    pub(super) fn schema_list(&self) -> &PublicPage {
        &self.schema_list
    }

    /// The page of the call or event with this id.
    pub(super) fn call(&self, id: &str) -> Option<&PublicPage> {
        self.calls.get(id)
    }

    /// The page of the schema with this name.
    pub(super) fn schema(&self, name: &str) -> Option<&PublicPage> {
        self.schemas.get(name)
    }

    /// What was found.
    pub(super) fn found(&self, query: &str) -> Markup {
        index::found(&self.about, query, &self.search.find(query))
    }

    /// In the place of a page that there is not.
    pub(super) fn missing(&self) -> Markup {
        index::missing(&self.about)
    }
}
