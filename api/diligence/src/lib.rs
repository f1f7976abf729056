//! The HTTP contract of the due-diligence API: its operations, requests, views and problems.
//!
//! The product implements [`DiligenceApi`]; [`router`] puts HTTP in front of it, with the common
//! parts of all APIs: `parafa_api_http`. The types of the data are in `parafa_register_data`.

mod api;
mod codes;
mod examples;
mod guide;
pub mod kyc;
mod operations;
mod problem;
mod reference;
pub mod requests;
mod schemas;
pub mod views;
mod vocabulary;

use std::sync::Arc;

use axum::Router;
use parafa_api_http::{HttpConfig, Neighbour, ProblemDocuments, Surface, edge, webhooks};

pub use self::api::{DiligenceApi, Record};
pub use self::operations::{ASICE, JADES};
pub use self::problem::ProblemKind;
pub use self::schemas::{AnswerKind, address as schema_address};
pub use self::vocabulary::{AnswerFormat, Purpose, SignatureTier};

/// The folder of its description and pages.
pub const FOLDER: &str = "/dd";

/// Longest body, in bytes: orders are short.
const LONGEST_BODY: usize = 64 * 1024;

/// The API, for pages on all that are on the listener.
#[must_use]
pub fn neighbour() -> Neighbour {
    Neighbour {
        title: reference::NAME.to_owned(),
        folder: FOLDER.to_owned(),
        summary: reference::SUMMARY,
        guide: guide::GUIDE.title,
        problems: ProblemKind::problem_types(),
        problem_folder: "",
        events: webhooks::events::<kyc::KycEventKind>(),
    }
}

/// The API, its description under `/dd/openapi.json` and `/dd/openapi.yaml`, its
/// pages and the schemas of its data, without an answer for other paths.
pub fn router<A: DiligenceApi>(api: Arc<A>, config: HttpConfig) -> Router {
    let config = config.with_short_bodies(LONGEST_BODY);
    let format = ProblemDocuments::new(config.base_url.clone());
    let schemas = edge(schemas::router(), Arc::new(format.clone()));
    let surface = Surface {
        roots: operations::ROOTS,
        operations: operations::all::<A>(),
        format,
        reference: reference::reference(),
    };
    parafa_api_http::beside(api, config, surface).merge(schemas)
}
