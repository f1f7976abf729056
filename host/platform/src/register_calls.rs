//! The log of what registers were asked, for whom and what for.

use jiff::Timestamp;
use parafa_store::{Content, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::KeyMode;
use crate::billing::{Amount, UsageItem};

/// A call for register data, as it is accounted for: who asked what, what for, and the
/// digests of what registers answered. What they answered is not kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CallRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Its id.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// The key that it was made with.
    pub key: Uuid,
    /// Whether production or the sandbox was meant.
    pub mode: KeyMode,
    /// What was asked.
    pub item: UsageItem,
    /// The code of the entity, or the unique number of the object.
    pub subject: String,
    /// What for, as the request names it.
    pub purpose: Option<String>,
    /// What became of it.
    pub outcome: CallOutcome,
    /// SHA-256 of the registers' answers, in lower-case hexadecimal digits and in
    /// the order in which they came: of all that there were, whatever became of
    /// the call.
    pub raw_sha256: Vec<String>,
    /// What was charged; nothing for what is not billed.
    pub charged: Amount,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// It was answered.
    Answered,
    /// The register holds nothing.
    NoData,
    /// No source is set up for the register.
    NotOffered,
    /// A register did not answer.
    UpstreamUnavailable,
    /// The answer could not be signed.
    SignatureUnavailable,
    /// The workspace could not be billed, before registers were asked or after.
    PaymentRequired,
    /// The service failed.
    Failed,
}

impl Table for CallRow {
    type Key = (Uuid, Uuid);

    const NAME: TableName = TableName::new("diligence_calls");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> (Uuid, Uuid) {
        (self.tenant, self.id)
    }
}
