//! The HTTP contract of the signing orchestration API: its operations, requests, views and
//! problems.
//!
//! The product implements [`SigningApi`]; [`router`] puts HTTP in front of it, with the common
//! parts of all APIs: `parafa_api_http`.

mod api;
mod bodies;
mod examples;
mod guide;
mod ids;
mod operations;
mod problem;
mod record;
mod reference;
pub mod requests;
mod sample;
pub mod views;
mod vocabulary;
mod webhooks;

use std::sync::Arc;

pub use api::SigningApi;
use axum::Router;
pub use ids::{BatchId, CommentId, FileToken, SignerId, SigningId};
use parafa_api_http::Surface;
pub use parafa_api_http::decode::mailbox;
pub use parafa_api_http::deliveries::{CallersDeliveries, DeliveriesApi};
pub use parafa_api_http::{
    Access, Api, BaseUrl, BodyPace, Created, Credentials, Fault, HttpConfig, IDEMPOTENCY_HOURS,
    IdempotentRequest, KeptAnswer, MIB, Neighbour, Presence, Principal, Problem, ProblemDocuments,
    RateLimiter, RateLimits, RequestId, Reservation, WireName, edge,
};
pub use problem::ProblemKind;
pub use record::{DocumentDownload, Record};
pub use sample::SAMPLE;
pub use vocabulary::{
    ArchiveLevel, CommentAuthor, CompletionMode, ContainerFormat, Delivery, DocumentFamily,
    EvidenceFormat, Language, PartyRole, SignerStatus, SigningEventKind, SigningMethod,
    SigningOrder, SigningStatus, SimulatedOutcome, file_extension,
};

/// The API, for pages on all that are on the listener.
#[must_use]
pub fn neighbour() -> Neighbour {
    Neighbour {
        title: reference::NAME.to_owned(),
        folder: String::new(),
        summary: reference::SUMMARY,
        guide: guide::GUIDE.title,
        problems: ProblemKind::problem_types(),
        problem_folder: "",
        events: parafa_api_http::webhooks::events::<SigningEventKind>(),
    }
}

/// The API under `/v1`, its description under `/openapi.json` and `/openapi.yaml`, and the pages in
/// `/docs` and under `/problems`. Complete with its edge and an answer for every other path.
pub fn router<A: SigningApi>(api: Arc<A>, config: HttpConfig) -> Router {
    let format = ProblemDocuments::new(config.base_url.clone());
    let sample = edge(sample::route(), format.clone());
    let surface = Surface {
        roots: &["/v1"],
        operations: operations::all::<A>(),
        format,
        reference: reference::reference(),
    };
    parafa_api_http::router(api, config, surface).merge(sample)
}
