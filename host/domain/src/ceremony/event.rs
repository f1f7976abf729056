use crate::SignerId;

/// What a transition caused. The caller turns events into notifications, in
/// the order in which they come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CeremonyEvent {
    /// Retracted.
    Cancelled,
    /// Every signer has signed.
    Completed,
    /// Somebody declined and nobody else can still sign.
    Declined,
    /// The hard deadline has passed.
    Expired,
    /// The ceremony could not be prepared or finished.
    Failed,
    /// A signer declined.
    SignerDeclined(SignerId),
    /// It is this waiting signer's turn now.
    SignerReleased(SignerId),
    /// A signer signed.
    SignerSigned(SignerId),
}
