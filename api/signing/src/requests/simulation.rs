use email_address::EmailAddress;
use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use super::limits::LONGEST_REASON;
use crate::vocabulary::SimulatedOutcome;

/// The body of `POST /v1/signings/{signingId}/simulate`.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Simulated outcome of the signing.
    pub action: SimulatedOutcome,
    /// The signer who declines; the first open signer if `None`.
    pub signer_email: Option<EmailAddress>,
    /// Reason for declining.
    pub reason: Option<String>,
}

impl Simulation {
    /// Pointer of the action, for an outcome that is not possible.
    pub const ACTION_POINTER: &str = "/action";
    /// Pointer of the email, for the fault of an address that no open signer has.
    pub const SIGNER_EMAIL_POINTER: &str = "/signerEmail";
}

impl<A> FromBody<A> for Simulation {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("SimulateRequest", |object| {
            let action = object.required("action", |node| node.one_of());
            let signer_email = object.optional("signerEmail", |node| {
                node.described("The signer who declines. Default: the first open signer.")
                    .email()
            });
            let reason = object.optional("reason", |node| node.lines(LONGEST_REASON));
            Some(Self {
                action: action?,
                signer_email,
                reason: reason.map(str::to_owned),
            })
        })
    }
}
