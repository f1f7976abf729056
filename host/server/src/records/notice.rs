use parafa_domain::{CompletionMode, Language, SignerStatus, SigningStatus};
use parafa_platform::outbox::NoticeKind;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::DocumentVersion;

/// The events that webhooks are told of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum EventKind {
    Cancelled,
    Completed,
    Declined,
    Expired,
    Failed,
    SignerDeclined,
    SignerSigned,
}

impl EventKind {
    /// All of them.
    pub(crate) const ALL: [Self; 7] = [
        Self::Cancelled,
        Self::Completed,
        Self::Declined,
        Self::Expired,
        Self::Failed,
        Self::SignerDeclined,
        Self::SignerSigned,
    ];

    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A notice of it.
    pub(crate) fn notice(self) -> NoticeKind {
        NoticeKind::Webhook(self.name().to_owned())
    }

    /// The name at the interface.
    pub(crate) fn name(self) -> &'static str {
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

/// The mails that signers get.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum MailKind {
    /// The link, once it is live.
    Invitation,
    /// The link again.
    Reminder,
    /// The link leads nowhere any more.
    Retraction,
}

impl MailKind {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Invitation, Self::Reminder, Self::Retraction];

    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A notice of it.
    pub(crate) fn notice(self) -> NoticeKind {
        NoticeKind::Mail(self.name().to_owned())
    }

    /// The name in rows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Reminder => "reminder",
            Self::Retraction => "retraction",
        }
    }
}

/// What a webhook is told, as it was when it happened.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct EventPayload {
    /// The webhook's address.
    pub(crate) target: String,
    pub(crate) status: SigningStatus,
    pub(crate) external_id: Option<String>,
    /// Of a completed signing.
    pub(crate) completion_mode: Option<CompletionMode>,
    /// Of what happened to one signer.
    pub(crate) signer: Option<EventSigner>,
    /// The newest output, if there is any.
    pub(crate) document: Option<EventDocument>,
}

/// The signer in an [`EventPayload`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct EventSigner {
    pub(crate) id: Uuid,
    pub(crate) email: String,
    pub(crate) status: SignerStatus,
    pub(crate) decline_reason: Option<String>,
}

/// The document in an [`EventPayload`].
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct EventDocument {
    pub(crate) version: DocumentVersion,
    /// Whether it is the unsigned artifact of a simulation.
    pub(crate) simulated: bool,
}

/// What a mail needs beside the workspace's name and the link.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct MailPayload {
    pub(crate) email: String,
    pub(crate) name: Option<String>,
    pub(crate) language: Language,
    pub(crate) title: String,
    pub(crate) document_name: String,
}
