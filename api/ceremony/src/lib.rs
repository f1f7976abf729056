//! The hosted ceremony: the page behind a signer's link and the JSON calls of the page and the card
//! app. The token in the path is the only credential.
//!
//! The product implements [`CeremonyApi`]; [`router`] puts the pages and calls in front of it.

mod api;
mod assets;
mod calls;
mod card;
mod card_app;
mod closed;
mod colour;
mod decline;
mod face;
mod messages;
mod page;
mod parameters;
pub mod problems;
mod progress;
mod requests;
mod routes;
mod texts;
mod views;
mod vocabulary;

/// Media type that a browser can show beside the page.
const PDF: &str = "application/pdf";
/// Pictures that it can show there.
const PICTURES: [&str; 2] = ["image/png", "image/jpeg"];

pub use api::{CeremonyApi, ShownDocument};
pub use card_app::CardApp;
pub use closed::{ClosedLink, ClosedReason};
pub use colour::Colour;
pub use face::{Face, LogoSize};
pub use messages::Messages;
pub use progress::{OtherSigners, Party, Progress};
pub use requests::{CardSignature, StartAttempt};
pub use routes::router;
pub use views::{
    Attempt, AttemptError, CardCertificate, CardRequest, CardSubject, CeremonyView, Circumstances,
    DeviceLink, Document, EarlierSignature, EarlierSignatures, Member, PageContent, PageMembers,
    PairedCard, PairedDocument, Pairing, SignatureVerdict, Signer, State, SubjectNotice,
};
pub use vocabulary::{
    AttemptFailure, CardAlgorithm, CardEncoding, Country, Language, MemberRole, Phase,
    SignerStatus, SigningMethod,
};
