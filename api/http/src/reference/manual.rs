//! The reference of an API as pages: one that lists its calls, and one for each call, event and
//! schema. They are rendered from the OpenAPI document alone, so that pages and document agree.

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
    /// All calls and events, by tag.
    pub(super) index: PublicPage,
    /// Pages below it, by the rest of their path.
    pages: HashMap<String, PublicPage>,
    search: Search,
}

impl Manual {
    /// The pages of the API that an OpenAPI document describes.
    pub(super) fn new(description: &Value, about: About) -> Self {
        let document = Document::new(description, &about);
        Self {
            index: PublicPage::new(index::page(&document)),
            pages: pages(&document),
            search: Search::of(&document),
            about,
        }
    }

    /// The page at a path below that of the index.
    pub(super) fn page(&self, path: &str) -> Option<&PublicPage> {
        self.pages.get(path)
    }

    /// Page of search results.
    pub(super) fn found(&self, query: &str) -> Markup {
        index::found(&self.about, query, &self.search.find(query))
    }

    /// Page instead of one that does not exist.
    pub(super) fn missing(&self) -> Markup {
        index::missing(&self.about)
    }
}

fn pages(document: &Document<'_>) -> HashMap<String, PublicPage> {
    let calls = document.calls().into_iter();
    let calls = calls.map(|call| (call.id.to_owned(), operation::page(document, &call)));
    let users = schema::users(document);
    let schemas = document.schemas().map(|(name, schema)| {
        let page = schema::page(document, name, schema, &users);
        (format!("schemas/{name}"), page)
    });
    let list = ("schemas".to_owned(), index::schemas(document));
    let pages = calls.chain(schemas).chain([list]);
    let pages = pages.map(|(path, page)| (path, PublicPage::new(page)));
    pages.collect()
}
