//! An authority for demo worlds, conformance cases and tests: keys,
//! certificates, OCSP answers, revocation lists and time-stamp tokens.
//!
//! What is issued is said by plain data ([`Profile`], [`SingleResponse`],
//! [`RevocationList`], [`TimestampInfo`]) and put together element by element,
//! so that those who read it are not judged by their own hand. There is no
//! clock: times and serial numbers are handed in. What is made with a key from
//! a seed is the same every time.
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

/// Why something cannot be issued.
#[derive(Debug, thiserror::Error)]
pub enum IssuingError {
    /// A time cannot be written, or what is issued is no certificate.
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
