//! Smart-ID, RP API v3.
//!
//! Two ways lead to a signature, both certificate first:
//! - by personal code: [`SmartIdClient::start_certificate_choice`], then
//!   [`SmartIdClient::start_signature`], each shown to the person in the app;
//! - by device link: [`SmartIdClient::start_certificate_choice_by_device_link`],
//!   whose [`DeviceLinkSession::link`] the person scans or follows, then
//!   [`SmartIdClient::start_linked_signature`].
//!
//! A signature is always asked of the document whose certificate was chosen,
//! so that no other device of the person answers.

mod algorithm;
mod authentication;
mod callback;
mod client;
mod config;
mod device_link;
mod end_result;
mod error;
mod exchange;
mod identifier;
mod interactions;
mod level;
mod provider;
mod session;
mod text;
mod wire;

pub use self::algorithm::{
    DigestToSign, SignatureAlgorithm, UnknownSignatureAlgorithm, WrongDigestLength,
};
pub use self::callback::{CallbackUrl, InvalidCallbackUrl};
pub use self::client::SmartIdClient;
pub use self::config::SmartIdConfig;
pub use self::device_link::{DeviceLinkSession, LinkKind, SessionSecret};
pub use self::error::{InvalidAnswer, SmartIdError};
pub use self::identifier::{
    DocumentNumber, IdentityType, InvalidIdentifier, Nonce, SemanticsIdentifier, SessionId,
};
pub use self::interactions::{Interaction, Interactions, InvalidInteractions};
pub use self::level::CertificateLevel;
pub use self::session::{
    CertificateSession, DeviceSignature, NotifiedSignature, SignatureSession, SigningCertificate,
    VerificationCode,
};
pub use self::text::DisplayText;
pub use crate::display::InvalidDisplayText;
pub use crate::provider::{SessionState, SignerOutcome};
pub use parafa_eid_protocols::smart_id::FlowType;
