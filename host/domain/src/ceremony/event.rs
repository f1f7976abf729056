use crate::SignerId;

/// An effect of a transition. The caller turns events into notifications, in order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CeremonyEvent {
    /// Retracted.
    Cancelled,
    /// Every signer has signed.
    Completed,
    /// A party declined and no other can still sign.
    Declined,
    /// The hard deadline has passed.
    Expired,
    /// The ceremony could not be prepared or finished.
    Failed,
    /// A signer declined.
    SignerDeclined(SignerId),
    /// This waiting signer can sign now.
    SignerReleased(SignerId),
    /// A signer signed.
    SignerSigned(SignerId),
}
