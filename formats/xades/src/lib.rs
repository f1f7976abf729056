//! XAdES signatures (ETSI EN 319 132-1) in containers (ETSI EN 319 162-1, and
//! ADOC with the older ETSI TS 101 903).
//!
//! [`Draft`] is a signature before it has a value: what is signed of it is frozen
//! text, into which the value and what is not signed are put.
//! [`Verifier`] reads what others made, strictly where readers could be misled:
//! what is shown of a signature is what is signed by the certificate that it
//! names. [`archive`] raises signatures to level LT. Nothing here knows what a
//! container is made of: [`DataObjects`] are what signatures are over.
//! [`verify_enveloped`] reads the one signature of another kind: that of a document
//! in which it stands itself, as trusted lists have it.

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
