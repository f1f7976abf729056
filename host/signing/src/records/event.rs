use parafa_ceremony::records::DocumentVersion;
use parafa_domain::{CeremonyStatus, CompletionMode, SignerStatus};
use parafa_platform::outbox::NoticeKind;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The events that webhooks are told of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventKind {
    /// The caller has cancelled it.
    Cancelled,
    /// Everybody has signed.
    Completed,
    /// It was declined.
    Declined,
    /// Its deadline has passed.
    Expired,
    /// It cannot be signed.
    Failed,
    /// A signer has declined.
    SignerDeclined,
    /// A signer has signed.
    SignerSigned,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Cancelled,
        Self::Completed,
        Self::Declined,
        Self::Expired,
        Self::Failed,
        Self::SignerDeclined,
        Self::SignerSigned,
    ];

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A notice of it.
    pub fn notice(self) -> NoticeKind {
        NoticeKind::Webhook(self.name().to_owned())
    }

    /// The name at the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "signing.cancelled",
            Self::Completed => "signing.completed",
            Self::Declined => "signing.declined",
            Self::Expired => "signing.expired",
            Self::Failed => "signing.failed",
            Self::SignerDeclined => "signing.signer_declined",
            Self::SignerSigned => "signing.signer_signed",
        }
    }
}

/// What a webhook is told, as it was when it happened.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EventPayload {
    /// The webhook's address.
    pub target: String,
    /// Its state then.
    pub status: CeremonyStatus,
    /// The caller's own name for it.
    pub external_id: Option<String>,
    /// Of a completed signing.
    pub completion_mode: Option<CompletionMode>,
    /// Of what happened to one signer.
    pub signer: Option<EventSigner>,
    /// The newest output, if there is any.
    pub document: Option<EventDocument>,
}

/// The signer in an [`EventPayload`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EventSigner {
    /// The id.
    pub id: Uuid,
    /// The party's address.
    pub email: String,
    /// Its state then.
    pub status: SignerStatus,
    /// Why the signer declined.
    pub decline_reason: Option<String>,
}

/// The document in an [`EventPayload`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EventDocument {
    /// The version of the document.
    pub version: DocumentVersion,
    /// Whether it is the unsigned artifact of a simulation.
    pub simulated: bool,
}
