//! Common parts of all HTTP APIs of the service.
//!
//! An API is a trait with a method for each operation, whose supertrait is [`Api`], and a
//! [`Surface`]. The surface is the table of its [`Operation`]s, its documentation, and the format
//! of its refusals. [`router`] puts HTTP in front of it. Requests arrive at the trait parsed and
//! complete: business rules stay out of this crate, and syntax out of the trait. A request is
//! checked in this order: credentials, rate, right, path and id, method, media type, size, schema,
//! and then the API's own refusals.
//!
//! [`edge`] gives the same refusals, request ids and panic handling to pages that are served beside
//! an API. [`Admission`] reads their requests.

mod accept;
mod api;
mod config;
mod cursor;
pub mod decode;
pub mod deliveries;
mod disposition;
mod documentation;
mod edge;
mod encoded;
mod entity_tag;
mod idempotency;
mod ids;
mod openapi;
mod operation;
pub mod pages;
mod principal;
mod problem;
mod reference;
mod refusals;
mod router;
mod served;
pub mod views;
mod vocabulary;
pub mod webhooks;

pub use accept::{accepts, declares};
pub use api::{Api, Presence};
pub use config::{BaseUrl, HttpConfig, MIB, Neighbour};
pub use cursor::Cursor;
pub use decode::Fault;
pub use disposition::{Disposition, file_headers};
pub use documentation::{AgentTool, Documentation};
pub use edge::{
    Admission, AdmittedBody, AlreadyCounted, BodyPace, RateDecision, RateLimiter, RateLimits,
    RequestId, SharedBuckets, TakenRequests, edge, limit_guesses,
};
pub use idempotency::{
    Created, IDEMPOTENCY_HOURS, IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation,
};
pub use ids::PathId;
pub use openapi::{OwnHeader, Schemas};
pub use operation::{
    AnswerForm, BodyKind, Call, Download, Draft, FromBody, FromQuery, Input, MaybeBody, NoInput,
    Nothing, Operation, Parameters, Path, PathParameter, PathParams, Representation, WholeBody,
};
pub use principal::{Access, Credential, Credentials, Principal, Secret, Security};
pub use problem::{Problem, ProblemDocument, ProblemDocuments, ProblemFormat, ProblemType};
pub use reference::{Guide, Reference, SetUp, Step, Tag};
pub use router::{Surface, beside, router};
pub use vocabulary::WireName;
