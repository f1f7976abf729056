//! Mobile-ID, MID REST API.
//!
//! The certificate comes first: [`MobileIdClient::certificate`] gets it without asking the person.
//! [`MobileIdClient::start_signature`] then calls their phone, and the session is polled. Only the
//! signature shows whose phone answered: callers must compare the certificate with the intended
//! person, and verify the value with it.

mod authentication;
mod client;
mod config;
mod error;
mod exchange;
mod provider;
mod result;
mod text;
mod user;
mod verification_code;
mod wire;

pub use self::client::{
    MobileIdClient, PhoneAuthentication, SignatureSession, SigningCertificate,
    StartedPhoneSignature,
};
pub use self::config::MobileIdConfig;
pub use self::error::{InvalidAnswer, MobileIdError};
pub use self::text::{DisplayText, Language};
pub use self::user::{InvalidUser, MobileIdUser};
pub use self::verification_code::verification_code;
pub use crate::display::InvalidDisplayText;
pub use crate::provider::{SessionState, SignerOutcome};
