use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::{Amount, PriceLadder};
use crate::accounts::Product;
use crate::register_calls::CallForm;

/// How a workspace pays. One without such a row has no way of paying.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BillingRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Whether it can pay.
    pub funding: Funding,
    /// Most that may be owed.
    pub ceiling: Option<Amount>,
    /// A page on which a person can settle whatever the cause is, in place of
    /// the configured one.
    pub recovery_url: Option<Url>,
    /// What its signatures cost.
    pub ladder: PriceLadder,
}

/// Whether a workspace can pay.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Funding {
    /// There is no way of paying.
    NoRail,
    /// In good standing, as long as no ceiling trips.
    Ok,
    /// An invoice is overdue.
    Overdue,
}

/// A billed use of the service.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UsageRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Its id.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// What was used.
    pub item: UsageItem,
    /// Of what, as the workspace knows it: the signing, the order, the request
    /// that was answered.
    pub reference: String,
    /// What it costs.
    pub amount: Amount,
    /// In which form, where the price depends on it; not in rows of earlier
    /// programs.
    #[serde(default)]
    pub form: Option<CallForm>,
}

/// What was used.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageItem {
    /// A qualified signature.
    Signature,
    /// An answer about a company's profile.
    CompanyProfile,
    /// An answer about shareholders and members.
    Participants,
    /// An answer about beneficial owners.
    BeneficialOwners,
    /// An answer about real property held.
    RealEstate,
    /// An extract of a real-property object.
    PropertyExtract,
    /// An answer about seizure acts.
    Seizures,
    /// An answer about court cases.
    Cases,
    /// A due-diligence report.
    Report,
    /// A delivered identification package.
    IdentificationPackage,
}

impl UsageItem {
    /// The product that it is part of.
    pub fn product(self) -> Product {
        match self {
            Self::Signature => Product::Signing,
            Self::CompanyProfile
            | Self::Participants
            | Self::BeneficialOwners
            | Self::RealEstate
            | Self::PropertyExtract
            | Self::Seizures
            | Self::Cases
            | Self::Report
            | Self::IdentificationPackage => Product::Diligence,
        }
    }
}

/// How much a workspace has used, so that nobody counts rows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UsageTotalRow {
    /// The workspace.
    pub tenant: Uuid,
    /// The month that is counted, such as `2026-03`, in UTC.
    pub month: String,
    /// Signatures of that month.
    pub signatures: u64,
    /// What is owed, of all months.
    pub unpaid: Amount,
}

plain_table!(BillingRow: "billing" by Uuid, |row| row.tenant);

plain_table!(UsageRow: "usage" by (Uuid, Uuid), |row| (row.tenant, row.id));

plain_table!(UsageTotalRow: "usage_totals" by Uuid, |row| row.tenant);
