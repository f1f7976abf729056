//! How far the signatures of a ceremony have come.

use crate::vocabulary::SignerStatus;

/// How far the signatures of a ceremony have come, as its signers may know.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// What the other signers have done.
    pub others: OtherSigners,
    /// Whether each signer is mailed the document once all have signed.
    pub is_copy_mailed: bool,
    /// All signers; empty where they are not shown to each other.
    pub parties: Vec<Party>,
}

/// What the other signers have done.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum OtherSigners {
    /// Some have still to sign.
    #[default]
    StillSign,
    /// All have signed, or there are none.
    HaveSigned,
    /// The ceremony has ended without some of their signatures.
    Ended,
}

/// A signer as the others see them.
#[derive(Clone, Debug)]
pub struct Party {
    /// As the caller gave it.
    pub name: Option<String>,
    /// Where they stand.
    pub status: SignerStatus,
}
