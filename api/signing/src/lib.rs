//! The HTTP contract of the signing orchestration API: routes, requests,
//! views, validation and problem documents.
//!
//! Whoever keeps signings implements [`SigningApi`]; [`router`] puts HTTP in
//! front of it. Requests arrive at the trait parsed and complete, so that no
//! business rule lives here and no syntax lives behind it. Answers to one
//! request are decided in this order: key, rate, role, path and id, method,
//! media type, size, schema, and then the trait's own refusals.
//!
//! [`edge`] gives the same problem documents, request ids and panic handling
//! to pages that are served beside the API.

mod api;
mod config;
mod decode;
mod disposition;
mod docs;
mod edge;
mod ids;
mod openapi;
mod operation;
mod problem;
pub mod requests;
mod routes;
pub mod views;
mod vocabulary;

pub use api::{
    Access, ApiKey, CallerRole, Created, DocumentDownload, IDEMPOTENCY_HOURS, IdempotencyKey,
    IdempotentRequest, KeptAnswer, KeyMode, Presence, Principal, Record, Reservation, SigningApi,
};
pub use config::{BaseUrl, HttpConfig, MIB};
pub use decode::{Fault, Faults, Query, UNFIT_FOR_LINES, disturbs_lines};
pub use disposition::{Disposition, content_disposition};
pub use docs::Neighbour;
pub use edge::{BodyPace, RateLimits, RequestId, edge};
pub use ids::{BatchId, CommentId, FileToken, SignerId, SigningId};
pub use problem::{Problem, ProblemKind};
pub use routes::router;
pub use vocabulary::{
    ArchiveLevel, CommentAuthor, CompletionMode, ContainerFormat, Delivery, DocumentFamily,
    Language, PartyRole, SignerStatus, SigningEventKind, SigningMethod, SigningOrder,
    SigningStatus, SimulatedOutcome, WireName,
};
