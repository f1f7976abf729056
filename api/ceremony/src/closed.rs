//! Links that are known but closed.

use crate::messages::Messages;
use crate::vocabulary::Language;

/// A known link that is closed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ClosedLink {
    /// Reason.
    pub reason: ClosedReason,
    /// Language of its signer.
    pub language: Language,
}

/// Reason why a known link is closed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ClosedReason {
    /// Another signer comes first.
    NotYet {
        /// True if a letter announces the signer's turn.
        is_mailed: bool,
    },
    /// Its signer has signed.
    Signed,
    /// Its signer has declined.
    Declined,
    /// Another signer declined, which ended the ceremony.
    DeclinedByAnother,
    /// The caller has cancelled the ceremony.
    Cancelled,
    /// The deadline has passed.
    Expired,
    /// The ceremony has failed.
    Failed,
    /// The sandbox has simulated its signer's signature.
    Simulated,
}

impl ClosedReason {
    pub(crate) fn heading(self, texts: &Messages) -> &'static str {
        match self {
            Self::NotYet { .. } => texts.closed_not_yet,
            Self::Signed => texts.closed_signed,
            Self::Declined => texts.declined,
            Self::DeclinedByAnother => texts.closed_declined_by_another,
            Self::Cancelled => texts.closed_cancelled,
            Self::Expired => texts.closed_expired,
            Self::Failed => texts.closed_failed,
            Self::Simulated => texts.closed_simulated,
        }
    }

    /// Explanation, and what the signer can do.
    pub(crate) fn explanation(self, texts: &Messages) -> &'static str {
        match self {
            Self::NotYet { is_mailed: true } => texts.closed_not_yet_mailed,
            Self::NotYet { is_mailed: false } => texts.closed_not_yet_explained,
            Self::Signed => texts.closed_signed_explained,
            Self::Declined => texts.declined_explained,
            Self::DeclinedByAnother => texts.closed_declined_by_another_explained,
            Self::Cancelled => texts.closed_cancelled_explained,
            Self::Expired => texts.closed_expired_explained,
            Self::Failed => texts.closed_failed_explained,
            Self::Simulated => texts.sandbox,
        }
    }
}
