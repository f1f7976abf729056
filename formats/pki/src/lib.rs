//! Public key infrastructure, as read by every signature format: certificates
//! (RFC 5280), revocation data (OCSP responses, RFC 6960, and CRLs), CMS
//! signatures (RFC 5652) and time-stamp tokens (RFC 3161).
//!
//! Everything is read from its original bytes and never re-encoded. The
//! environment computes digests over long data and verifies signatures; trust
//! is not decided here. [`asn1`], [`algorithm`] and [`attributes`] also serve
//! writers of CMS, [`answers`] all signing formats, and [`ecdsa`] formats with
//! values other than DER.

pub mod algorithm;
pub mod answers;
pub mod asn1;
pub mod attributes;
mod ber;
mod certificate;
mod distinguished_name;
pub mod ecdsa;
mod error;
mod extension;
mod issuer;
mod ocsp;
mod revocation;
mod revocation_list;
mod signed;
mod signed_data;
mod signing_certificate;
mod time;
mod timestamp;

pub use ber::first_element_len;
pub use certificate::{Certificate, Validity};
pub use error::Error;
pub use issuer::Issuer;
pub use revocation::{
    CertificateStatus, Nonce, RevocationData, RevocationError, RevocationSigner, Subjects,
};
pub use signed_data::SignedData;
pub use signing_certificate::SigningCertificate;
pub use timestamp::TimestampToken;
