//! An authority for demo worlds, conformance cases and tests: keys, certificates, OCSP answers,
//! revocation lists and time-stamp tokens.
//!
//! Plain data ([`Profile`], [`SingleResponse`], [`RevocationList`], [`TimestampInfo`]) say what to
//! issue. It is encoded element by element, so that our readers are not tested against their own
//! writer. There is no clock: times and serial numbers are arguments. Output made with a key from a
//! seed is reproducible.
#![forbid(unsafe_code)]

pub mod der;

mod credential;
mod extension;
mod key;
mod ocsp;
mod revocation_list;
mod time;
mod token;

pub use const_oid::{ObjectIdentifier, db as oids};
pub use x509_cert::Certificate;
pub use x509_cert::ext::pkix::KeyUsages;

pub use credential::{Credential, Profile, name, serial_number};
pub use extension::{Extension, QC_COMPLIANCE, QC_PDS, QC_SSCD, QC_TYPE, statement};
pub use key::{Key, KeyKind};
pub use ocsp::{OcspResponse, ResponderId, SingleResponse, Status, cert_id, ocsp_response};
pub use revocation_list::RevocationList;
pub use time::Time;
pub use token::{TimestampInfo, imprint, timestamp_token};

/// Reason why nothing can be issued.
#[derive(Debug, thiserror::Error)]
pub enum IssuingError {
    /// A time cannot be encoded, or the output is not a certificate.
    #[error("a time or a certificate cannot be encoded")]
    Encoding(#[from] ::der::Error),
    /// The seed makes no key.
    #[error("the seed makes no usable key")]
    Seed,
    /// A key cannot be made, read or used.
    #[error("cryptographic operation failed")]
    Crypto(#[from] openssl::error::ErrorStack),
}

impl From<p256::ecdsa::Error> for IssuingError {
    fn from(_: p256::ecdsa::Error) -> Self {
        Self::Seed
    }
}
