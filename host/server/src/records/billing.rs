use jiff::Timestamp;
use parafa_store::{Table, TableName};
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::{Amount, PriceLadder, Product};

/// How a workspace pays. One without such a row has no way of paying.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct BillingRow {
    pub(crate) tenant: Uuid,
    pub(crate) funding: Funding,
    /// Most that may be owed.
    pub(crate) ceiling: Option<Amount>,
    /// A page on which a person can settle whatever the cause is, in place of
    /// the configured one.
    pub(crate) recovery_url: Option<Url>,
    pub(crate) ladder: PriceLadder,
}

/// Whether a workspace can pay.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Funding {
    /// There is no way of paying.
    NoRail,
    /// In good standing, as long as no ceiling trips.
    Ok,
    /// An invoice is overdue.
    Overdue,
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
    pub(crate) amount: Amount,
}

/// What was used.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UsageItem {
    /// A qualified signature.
    Signature,
}

impl UsageItem {
    /// The product that it is part of.
    pub(crate) fn product(self) -> Product {
        match self {
            Self::Signature => Product::Signing,
        }
    }
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
    pub(crate) unpaid: Amount,
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
