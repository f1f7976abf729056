//! The HTTP contract of the eID authentication API: its operations, requests, views and error
//! envelope.
//!
//! The product implements [`AuthApi`]; [`router`] puts HTTP in front of it, with the common parts
//! of all APIs: `parafa_api_http`.

mod api;
mod envelope;
mod examples;
mod guide;
mod operations;
mod pairing_page;
mod problem;
mod reference;
pub mod requests;
mod return_page;
pub mod views;
mod vocabulary;

use std::sync::Arc;

use axum::Router;
use parafa_api_http::{HttpConfig, Neighbour, Surface};

pub use self::api::{AuthApi, AuthenticationId};
pub use self::envelope::{ErrorBody, ErrorEnvelope};
pub use self::operations::{KEYS_ARE_FRESH_FOR, KEYS_PATH};
pub use self::problem::ErrorCode;
pub use self::vocabulary::{AuthenticationMethod, AuthenticationStatus};

/// The folder of its description and pages.
pub const FOLDER: &str = "/auth";

/// The API, for pages on all that are on the listener.
#[must_use]
pub fn neighbour() -> Neighbour {
    Neighbour {
        title: reference::NAME.to_owned(),
        folder: FOLDER.to_owned(),
        summary: reference::SUMMARY,
        guide: guide::GUIDE.title,
        problems: ErrorCode::problem_types(),
        problem_folder: FOLDER,
        events: Vec::new(),
    }
}

/// Longest body, in bytes: certificates and signatures are short, and some calls are public.
const LONGEST_BODY: usize = 64 * 1024;

/// The API under `/v1/auth`, its description under `/auth/openapi.json` and
/// `/auth/openapi.yaml`, and its pages, without an answer for other paths.
pub fn router<A: AuthApi>(api: Arc<A>, config: HttpConfig) -> Router {
    let config = config.with_short_bodies(LONGEST_BODY);
    let surface = Surface {
        roots: &["/v1/auth"],
        operations: operations::all::<A>(),
        format: ErrorEnvelope,
        reference: reference::reference(),
    };
    let pages = pairing_page::page().merge(return_page::page(Arc::clone(&api)));
    parafa_api_http::beside(api, config, surface).merge(pages)
}
