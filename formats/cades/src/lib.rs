//! New CMS signatures (RFC 5652) of the CAdES (ETSI EN 319 122-1) and PAdES
//! (ETSI EN 319 142-1) baseline profiles.
//!
//! A signature takes two steps, because its value comes from a device.
//! [`SignedAttributes`] are the input of the device; [`SignedDataBuilder`]
//! combines the value, the certificates and an optional time-stamp into DER.
//! Certificates are embedded byte for byte, never re-encoded. `parafa-pki`
//! reads signatures of any origin.

mod attributes;
mod builder;
mod error;

pub use attributes::SignedAttributes;
pub use builder::SignedDataBuilder;
pub use error::Error;
