//! CMS signatures (RFC 5652) of the CAdES (ETSI EN 319 122-1) and PAdES
//! (ETSI EN 319 142-1) baseline profiles.
//!
//! Making one takes two steps, because the signature value comes from a device:
//! [`SignedAttributes`] are what the device signs, and [`SignedDataBuilder`]
//! wraps the value, the certificates and an optional time-stamp into DER.
//! Reading is [`SignedData::parse`], which takes what others made. Certificates
//! travel as the bytes that they came in; nothing here re-encodes them.
//! [`RevocationData`] is what issuers tell about them later.

mod algorithm;
mod attributes;
mod ber;
mod builder;
mod certificate;
mod element;
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

pub use attributes::SignedAttributes;
pub use builder::SignedDataBuilder;
pub use certificate::{Certificate, Validity};
pub use error::Error;
pub use issuer::Issuer;
pub use revocation::{
    CertificateStatus, RevocationData, RevocationError, RevocationSigner, Subjects,
};
pub use signed_data::SignedData;
pub use signing_certificate::SigningCertificate;
pub use timestamp::TimestampToken;
