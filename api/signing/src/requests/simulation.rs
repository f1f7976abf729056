use email_address::EmailAddress;

use super::limits::LONGEST_REASON;
use crate::decode::Node;
use crate::vocabulary::SimulatedOutcome;

/// The body of `POST /v1/signings/{signingId}/simulate`.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// How the signing ends.
    pub action: SimulatedOutcome,
    /// Who declines; the first open signer when none.
    pub signer_email: Option<EmailAddress>,
    /// Why they decline.
    pub reason: Option<String>,
}

impl Simulation {
    /// The pointer of the email, for the fault of one that no open signer has.
    pub const SIGNER_EMAIL_POINTER: &str = "/signerEmail";

    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let action = object.required("action").and_then(|node| node.one_of());
            let signer_email = object.optional("signerEmail").map(|node| node.email());
            let reason = object
                .optional("reason")
                .map(|node| node.lines(LONGEST_REASON));
            Some(Self {
                action: action?,
                signer_email: signer_email.flatten(),
                reason: reason.flatten().map(str::to_owned),
            })
        })
    }
}
