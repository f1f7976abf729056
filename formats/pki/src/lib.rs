//! What every signature format reads of a public key infrastructure:
//! certificates (RFC 5280), what issuers tell about them later (OCSP responses,
//! RFC 6960, and revocation lists), CMS signatures (RFC 5652) and time-stamp
//! tokens (RFC 3161).
//!
//! All of it is read from the bytes that it came in, which stay as they are:
//! nothing here encodes again what was read. Digests over much and signatures
//! are the environment's to compute and verify; trust is not decided here.
//! [`asn1`], [`algorithm`] and [`attributes`] serve those who write CMS, too,
//! [`answers`] everybody who signs, and [`ecdsa`] those whose values are no DER.

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
