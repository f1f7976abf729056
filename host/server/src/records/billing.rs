use jiff::Timestamp;
use parafa_store::{Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How a workspace pays. One without such a row is in good standing.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct BillingRow {
    pub(crate) tenant: Uuid,
    pub(crate) funding: Funding,
    /// Most that may be owed, in cents.
    pub(crate) ceiling_cents: Option<u64>,
    /// A page on which a person can settle whatever the cause is.
    pub(crate) recovery_url: Option<String>,
    /// Prices of signatures, the lowest `from` first.
    pub(crate) ladder: Vec<PriceStep>,
}

/// Whether a workspace can pay.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Funding {
    /// The usage ceiling has tripped.
    Ceiling,
    /// There is no way of paying.
    NoRail,
    /// In good standing.
    Ok,
    /// An invoice is overdue.
    Overdue,
}

/// The price of a signature from a certain number a month on.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct PriceStep {
    /// The first signature of the month that costs this, from 1.
    pub(crate) from: u64,
    pub(crate) cents: u64,
}

/// A billed use of the service.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct UsageRow {
    pub(crate) tenant: Uuid,
    pub(crate) id: Uuid,
    pub(crate) at: Timestamp,
    pub(crate) item: UsageItem,
    /// The signing.
    pub(crate) reference: Uuid,
    pub(crate) amount_cents: u64,
}

/// What was used.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UsageItem {
    /// A qualified signature.
    Signature,
}

/// How much a workspace has used, so that nobody counts rows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct UsageTotalRow {
    pub(crate) tenant: Uuid,
    /// The month that is counted, such as `2026-03`, in UTC.
    pub(crate) month: String,
    /// Signatures of that month.
    pub(crate) signatures: u64,
    /// What is owed, of all months.
    pub(crate) unpaid_cents: u64,
}

impl Table for BillingRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("billing");

    fn key(&self) -> Uuid {
        self.tenant
    }
}

impl Table for UsageRow {
    type Key = (Uuid, Uuid);

    const NAME: TableName = TableName::new("usage");

    fn key(&self) -> (Uuid, Uuid) {
        (self.tenant, self.id)
    }
}

impl Table for UsageTotalRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("usage_totals");

    fn key(&self) -> Uuid {
        self.tenant
    }
}
