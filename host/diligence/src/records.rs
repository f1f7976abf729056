//! The rows of this product. Names of tables and members are kept for ever.

use jiff::Timestamp;
use parafa_platform::accounts::KeyMode;
use parafa_platform::billing::{Amount, UsageItem};
use parafa_store::{Content, Table, TableDeclaration, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[TableDeclaration::of::<CallRow>()];

/// A call for data, as it is accounted for: who asked what, what for, and the
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
