//! The hosted ceremony: the page behind a signer's link and the JSON calls
//! that the page and the card app use. The token in the address is the only
//! credential.
//!
//! Whoever keeps ceremonies implements [`CeremonyApi`]; [`router`] puts the
//! pages and calls in front of it.

mod api;
mod page;
mod parameters;
pub mod problems;
mod requests;
mod routes;
mod texts;
mod views;
mod vocabulary;

/// What a browser can show beside the page.
const PDF: &str = "application/pdf";

pub use api::{CeremonyApi, ShownDocument};
pub use requests::StartAttempt;
pub use routes::router;
pub use views::{
    Attempt, AttemptError, DeviceLink, Document, EarlierSignature, EarlierSignatures, Member,
    PageContent, Signer, Signing, State,
};
pub use vocabulary::{
    AttemptFailure, Country, Language, MemberRole, Phase, SignerStatus, SigningMethod,
};
