//! JSON payloads, and JAdES signatures around them (ETSI TS 119 182-1). The
//! form is the flattened JSON serialization of JSON Web Signature (RFC 7515,
//! 7.2.2) with an attached payload.
//!
//! A document is an unsigned payload, or such a serialization. Signing wraps
//! the bytes of the payload, which stay unchanged; archiving adds to the
//! unprotected header. Third-party documents are read strictly where readers
//! could be misled: no repeated member, no other alphabet or padding of
//! base64url, and only the four members of the serialization.

mod algorithm;
mod archive;
mod checked_signature;
mod contents;
mod document;
mod encoding;
mod inspect;
mod json;
mod jws;
mod limits;
mod protected_header;
mod schema;
mod sign;
mod signer;
mod unsigned_header;
mod verify;

use parafa_format_core::{Ability, About, Operation, Preservation, levels};

pub use archive::archive;
pub use contents::{extract, members};
pub use inspect::inspect;
pub use sign::sign;
pub use verify::verify;

/// Media type of JWS in its JSON serializations (RFC 7515, 9.2.1).
pub(crate) const MEDIA_TYPE: &str = "application/jose+json";

/// Identifier of the signature; the serialization has one.
pub(crate) const SIGNATURE_ID: &str = "signature";

/// Describes this format and how its operations preserve their input.
#[must_use]
pub fn about() -> About {
    About {
        id: "jades",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        extensions: &["json"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::Rewrite,
                levels: &[levels::JADES_B_B, levels::JADES_B_T],
            },
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Rewrite,
                levels: &[levels::JADES_B_LT],
            },
        ],
    }
}
