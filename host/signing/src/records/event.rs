use parafa_ceremony::records::DocumentVersion;
use parafa_domain::{CeremonyStatus, CompletionMode, SignerStatus};
use parafa_platform::outbox::NoticeKind;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Events for webhooks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventKind {
    /// The caller has cancelled the signing.
    Cancelled,
    /// All signers have signed.
    Completed,
    /// The signing was declined.
    Declined,
    /// The deadline has passed.
    Expired,
    /// The signing has failed.
    Failed,
    /// A signer has declined.
    SignerDeclined,
    /// A signer has signed.
    SignerSigned,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Cancelled,
        Self::Completed,
        Self::Declined,
        Self::Expired,
        Self::Failed,
        Self::SignerDeclined,
        Self::SignerSigned,
    ];

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind of a notice about it.
    pub fn notice(self) -> NoticeKind {
        NoticeKind::Webhook(self.name().to_owned())
    }

    /// Returns the name in the API.
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

/// Content of an event, as of its time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EventPayload {
    /// The webhook's address.
    pub target: String,
    /// The status then.
    pub status: CeremonyStatus,
    /// The caller's own id.
    pub external_id: Option<String>,
    /// The mode of a completed signing.
    pub completion_mode: Option<CompletionMode>,
    /// The signer concerned, if there is one.
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
    /// The status then.
    pub status: SignerStatus,
    /// The signer's reason for declining.
    pub decline_reason: Option<String>,
}

/// The document in an [`EventPayload`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct EventDocument {
    /// The version of the document.
    pub version: DocumentVersion,
    /// The document is the unsigned artifact of a simulation.
    pub simulated: bool,
}
