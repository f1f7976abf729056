//! Clients of the eID providers.
//!
//! A client knows its provider's protocol, and nothing of signings, stores or the content of
//! certificates. It gets an HTTP port and returns what a person's device made. Callers may store a
//! session between two calls, and continue after a restart.

mod authentication;
pub mod card;
mod display;
mod ecdsa;
pub mod mobile_id;
mod provider;
mod service;
pub mod smart_id;

pub use self::authentication::{
    AuthenticationProof, AuthenticationRequest, Authenticator, ProofScheme,
};
pub use self::provider::{
    AskedFor, ChoiceLinks, DeviceLinks, EidError, EidProvider, KeyKind, LinkedAuthentication,
    OpenedChoice, PersonToAsk, ProviderSession, RequestKey, RequestedCertificate, SessionState,
    SignatureRequest, SignerCertificate, SignerOutcome, StartedSignature,
};
pub use self::service::ServiceError;
