use std::pin::Pin;

use axum::body::Body;

use crate::ids::{BatchId, FileToken, SignerId, SigningId};
use crate::problem::Problem;

/// What a path names.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Record {
    /// A signing.
    Signing(SigningId),
    /// A party of a signing.
    Signer(SigningId, SignerId),
    /// A batch.
    Batch(BatchId),
    /// A stored file.
    File(FileToken),
}

/// Whether a caller has a record.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Presence {
    /// There is none, it is another workspace's or the other mode's, or it is
    /// a file that was deleted or has expired, or a signer that was removed.
    Absent,
    /// A signing whose content was erased, or a party of one. Some calls still
    /// answer.
    Erased,
    /// It is there.
    Present,
}

/// The newest signed output of a signing.
pub struct DocumentDownload {
    /// The document itself. Not awaited where the caller wants its description
    /// alone, or has it already.
    pub content: Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send>>,
    /// Length of the document.
    pub bytes: u64,
    /// What a browser should call it.
    pub file_name: String,
    /// SHA-256 of the document.
    pub sha256: [u8; 32],
    /// Whether it is the unsigned artifact of a sandbox simulation.
    pub simulated: bool,
}
