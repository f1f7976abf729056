//! Ids with types that cannot be confused.

parafa_api_http::ids! {
    /// The signing.
    SigningId in "signingId";
    /// The party of the signing.
    SignerId in "signerId";
    /// The batch.
    BatchId in "batchId";
    /// The stored file.
    FileToken in "fileToken";
    /// A remark on a signing.
    CommentId;
}
