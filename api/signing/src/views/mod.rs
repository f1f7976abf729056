//! What callers are told: each view serialises to exactly the members of the
//! contract.

mod archived_signing;
mod batch;
mod comment;
mod erasure;
mod event;
mod hex_digest;
mod signed_document;
mod signer;
mod signing;
mod signing_list;
mod stored_file;
mod timestamp;

pub use archived_signing::ArchivedSigning;
pub use batch::Batch;
pub use comment::{Comment, CommentList};
pub use erasure::{ErasedSigning, ErasureCount};
pub use event::{EventSigner, SigningEvent};
pub use signed_document::SignedDocument;
pub use signer::Signer;
pub use signing::Signing;
pub use signing_list::SigningList;
pub use stored_file::StoredFile;
pub use timestamp::date_time;
