//! New CMS signatures (RFC 5652) of the CAdES (ETSI EN 319 122-1) and PAdES
//! (ETSI EN 319 142-1) baseline profiles.
//!
//! Making one takes two steps, because the signature value comes from a device:
//! [`SignedAttributes`] are what the device signs, and [`SignedDataBuilder`]
//! wraps the value, the certificates and an optional time-stamp into DER.
//! Certificates travel as the bytes that they came in; nothing here re-encodes
//! them. Whoever made a signature, `parafa-pki` reads it.

mod attributes;
mod builder;
mod error;

pub use attributes::SignedAttributes;
pub use builder::SignedDataBuilder;
pub use error::Error;
