//! CMS signatures (RFC 5652), certificates (RFC 5280) and time-stamp tokens
//! (RFC 3161): writing a signature takes two steps, because its value comes from
//! a device. [`SignedAttributes`] are what the device signs, and
//! [`SignedDataBuilder`] puts the value to them; [`SignedData`] reads it again.

pub use parafa_cades::{SignedAttributes, SignedDataBuilder};
pub use parafa_pki::{Certificate, SignedData, SigningCertificate, TimestampToken};
