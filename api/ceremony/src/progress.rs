//! Progress of the signatures of a ceremony.

use crate::vocabulary::SignerStatus;

/// Progress of the signatures of a ceremony, as far as its signers may know it.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Status of the other signers.
    pub others: OtherSigners,
    /// True if each signer gets the document by mail once all have signed.
    pub is_copy_mailed: bool,
    /// All signers; empty if they are not shown to each other.
    pub parties: Vec<Party>,
}

/// Status of the other signers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum OtherSigners {
    /// Some have not signed yet.
    #[default]
    StillSign,
    /// All have signed, or there are no others.
    HaveSigned,
    /// The ceremony has ended without some of their signatures.
    Ended,
}

/// A signer as shown to the others.
#[derive(Clone, Debug)]
pub struct Party {
    /// Name, as the caller gave it.
    pub name: Option<String>,
    /// Status.
    pub status: SignerStatus,
}
