//! What callers are told: each view serialises to exactly the members of the
//! contract.

mod signed_document;
mod signer;
mod signing;
mod signing_list;
mod timestamp;

pub use signed_document::SignedDocument;
pub use signer::Signer;
pub use signing::Signing;
pub use signing_list::SigningList;
