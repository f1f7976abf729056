//! CMS signatures (RFC 5652), certificates (RFC 5280) and time-stamp tokens (RFC 3161). Writing a
//! signature takes two steps, because its value is made by a device. The device signs
//! [`SignedAttributes`], and [`SignedDataBuilder`] adds the value; [`SignedData`] reads the
//! signature.

pub use parafa_cades::{SignedAttributes, SignedDataBuilder};
pub use parafa_pki::{Certificate, SignedData, SigningCertificate, TimestampToken};
