//! Evidence about signatures.

use bytes::Bytes;

/// Evidence about all signatures of a document; trust is decided elsewhere. DER objects are in
/// memory once, however many signatures list them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// DER of all OCSP responses and CRLs that the document holds.
    pub revocation: Vec<Bytes>,
    /// Every signature and document time-stamp, in the document's order.
    pub signatures: Vec<SignatureEvidence>,
}

/// Evidence about one signature, with its DER objects.
pub type SignatureEvidence = parafa_catalogue::SignatureEvidence<Bytes>;
