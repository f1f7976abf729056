use jiff::Timestamp;
use parafa_domain::{CompletionMode, Language, SignerStatus, SigningStatus};
use parafa_store::{AnyIndex, Index, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::DocumentVersion;

/// Something that is to be told outside, stored by the commit that it is about.
/// A job in the lane of deliveries names it. A mail's row goes once it is sent
/// or given up; a webhook's stays a while, to be looked at and replayed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct NoticeRow {
    /// Also the idempotency key of every delivery of it.
    pub(crate) id: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) signing: Uuid,
    /// The party concerned.
    pub(crate) signer: Option<Uuid>,
    /// The event after it, of which a webhook is told once it was told of this
    /// one, or could not be.
    pub(crate) next: Option<Uuid>,
    pub(crate) kind: NoticeKind,
    pub(crate) occurred_at: Timestamp,
    /// The key of the payload: the signing's, or for the last word on an erased
    /// signing one of the notice's own, which goes with the row.
    pub(crate) data_key: Uuid,
    /// An [`EventPayload`] or a [`MailPayload`], by the kind.
    pub(crate) payload: Sealed,
    /// Attempts since it happened, or since it was replayed.
    pub(crate) made: usize,
    /// The last of all attempts, oldest first.
    pub(crate) attempts: Vec<DeliveryAttempt>,
    /// How it ended, and when.
    pub(crate) ended: Option<DeliveryEnd>,
}

/// One attempt to deliver a notice.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct DeliveryAttempt {
    pub(crate) at: Timestamp,
    /// The receiver's HTTP status, or what stood in its way.
    pub(crate) outcome: String,
}

/// The end of a delivery.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct DeliveryEnd {
    pub(crate) at: Timestamp,
    pub(crate) acknowledged: bool,
}

/// What is told, and to whom.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "to", content = "what")]
pub(crate) enum NoticeKind {
    /// To the caller's webhook.
    Webhook(EventKind),
    /// To the party, by mail.
    Mail(MailKind),
}

/// The events that webhooks are told of.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum EventKind {
    #[serde(rename = "signing.cancelled")]
    Cancelled,
    #[serde(rename = "signing.completed")]
    Completed,
    #[serde(rename = "signing.declined")]
    Declined,
    #[serde(rename = "signing.expired")]
    Expired,
    #[serde(rename = "signing.failed")]
    Failed,
    #[serde(rename = "signing.signer_declined")]
    SignerDeclined,
    #[serde(rename = "signing.signer_signed")]
    SignerSigned,
}

impl EventKind {
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
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MailKind {
    /// The link, once it is live.
    Invitation,
    /// The link again.
    Reminder,
    /// The link leads nowhere any more.
    Retraction,
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

/// The notices of a signing.
pub(crate) const NOTICES_OF_SIGNING: Index<NoticeRow, Uuid> =
    Index::many("of_signing", |row| vec![row.signing]);

/// The notices to the webhooks of a workspace.
pub(crate) const WEBHOOK_NOTICES_OF_TENANT: Index<NoticeRow, Uuid> =
    Index::many("webhooks_of_tenant", |row| match row.kind {
        NoticeKind::Webhook(_) => vec![row.tenant],
        NoticeKind::Mail(_) => Vec::new(),
    });

impl Table for NoticeRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("notices");

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&NOTICES_OF_SIGNING, &WEBHOOK_NOTICES_OF_TENANT]
    }
}
