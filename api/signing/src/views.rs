//! Views for callers: each serializes to exactly the members of the contract.

mod archived_signing;
mod batch;
mod capabilities;
mod comment;
mod created;
mod erasure;
mod event;
mod evidence;
mod signed_document;
mod signer;
mod signing;
mod stored_file;

pub use archived_signing::ArchivedSigning;
pub use batch::Batch;
pub use capabilities::{Capabilities, InstalledFormat};
pub use comment::{Comment, CommentList};
pub use erasure::{ErasedSigning, ErasureCount};
pub use event::{EventSigner, SigningEvent};
pub use evidence::{
    AuditEvent, AuditHead, AuditSeal, AuditTrail, EvidenceDocument, EvidenceSigner,
    SigningEvidence, VersionMaker,
};
pub use parafa_api_http::views::date_time;
pub use signed_document::SignedDocument;
pub use signer::Signer;
pub use signing::Signing;
pub use stored_file::StoredFile;

/// One page of signings, newest first.
pub type SigningList = parafa_api_http::views::Page<Signing>;
