//! Common documentation of all APIs of a listener: start page, problems, webhooks, and how agents
//! connect. All of it is public.

mod agents;
mod problems;
mod start;
mod webhooks;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;

pub use self::agents::AgentTool;
use crate::config::{BaseUrl, Neighbour};
use crate::pages::PublicPage;
use crate::refusals;

/// Content of the common documentation.
#[derive(Clone, Debug)]
pub struct Documentation {
    /// Public base URL of the service.
    pub base_url: BaseUrl,
    /// The APIs, in documentation order.
    pub apis: Vec<Neighbour>,
    /// Tools that agents may call.
    pub tools: Vec<AgentTool>,
}

impl Documentation {
    /// `/docs`, its pages, and `/problems`. Documentation of a single API is in its own folder,
    /// whose `docs` links here.
    pub fn routes(&self) -> Router {
        let pages = [
            ("/docs", start::page(&self.apis, &self.base_url)),
            ("/docs/webhooks", webhooks::page(&self.apis)),
            ("/docs/mcp", agents::page(&self.tools, &self.base_url)),
            ("/problems", problems::page(&self.apis)),
        ];
        let router = Router::new();
        let router = pages.into_iter().fold(router, |router, (path, page)| {
            router.route(path, PublicPage::new(page).route())
        });
        let in_folders = self.apis.iter().filter(|api| !api.folder.is_empty());
        let router = in_folders.fold(router, |router, api| {
            let path = format!("{}/docs", api.folder);
            router.route(&path, get(async || Redirect::to("/docs")))
        });
        router.method_not_allowed_fallback(refusals::page_method_not_allowed)
    }
}
