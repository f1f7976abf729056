use parafa_catalogue::MemberRole;

use crate::Digest;

/// A file within a document that is made of files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Member {
    /// Unique within the document, and the same as long as the member is.
    pub id: String,
    /// Its name within the document.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Length of its bytes, as `extract` writes them.
    pub size: u64,
    /// Of these bytes, SHA-256.
    pub digest: Digest,
    /// What it is to those who sign.
    pub role: MemberRole,
}
