use bytes::Bytes;

use crate::ids::{BatchId, FileToken, SignerId, SigningId};

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
#[derive(Clone, Debug)]
pub struct DocumentDownload {
    /// The whole document.
    pub bytes: Bytes,
    /// What a browser should call it.
    pub file_name: String,
    /// SHA-256 of `bytes`.
    pub sha256: [u8; 32],
    /// Whether it is the unsigned artifact of a sandbox simulation.
    pub simulated: bool,
}
