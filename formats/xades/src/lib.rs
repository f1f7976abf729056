//! XAdES signatures (ETSI EN 319 132-1) in containers (ETSI EN 319 162-1, and
//! ADOC with the older ETSI TS 101 903).
//!
//! [`Draft`] is a signature without its value: its signed parts are final text,
//! into which the value and unsigned properties are inserted. [`Verifier`]
//! reads third-party signatures, strictly where readers could be misled:
//! reported content is content signed by the named certificate. [`archive`]
//! raises signatures to level LT. The crate does not know the structure of
//! containers; [`DataObjects`] gives access to the signed data objects.
//! [`verify_enveloped`] verifies the signature inside a document, as in trusted
//! lists.

mod archive;
mod coverage;
mod draft;
mod enveloped;
mod examined;
mod fault;
mod file;
mod level;
mod location;
mod material;
pub mod names;
mod objects;
mod octets;
mod profile;
mod reference;
mod schema;
mod signature;
mod signer;
mod stamps;
mod time;
mod time_marks;
mod unsigned;
mod verifier;
mod verify;
mod weakness;

pub use archive::{Raised, SignatureFile, archive};
pub use coverage::Covered;
pub use draft::{DataObject, Draft, DraftError, SignatureRequest};
pub use enveloped::{Enveloped, verify_enveloped};
pub use fault::Fault;
pub use objects::{DataObjects, Piece};
pub use profile::Profile;
pub use time::write as signing_time;
pub use verifier::{Verified, Verifier};
