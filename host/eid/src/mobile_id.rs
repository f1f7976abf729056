//! Mobile-ID, MID REST API.
//!
//! A signature is certificate first: [`MobileIdClient::certificate`] has it
//! without asking the person, and [`MobileIdClient::start_signature`] lets their
//! phone ring, which then is polled. An answer tells whose phone signed by
//! nothing but the signature: whoever takes it compares the certificate with the
//! person that was meant, and verifies the value with it.

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
    MobileIdClient, PhoneAuthentication, SignatureSession, SigningCertificate, StartedSignature,
};
pub use self::config::MobileIdConfig;
pub use self::error::{InvalidAnswer, MobileIdError};
pub use self::text::{DisplayText, Language};
pub use self::user::{InvalidUser, MobileIdUser};
pub use self::verification_code::verification_code;
pub use crate::display::InvalidDisplayText;
pub use crate::provider::{SessionState, SignerOutcome};
