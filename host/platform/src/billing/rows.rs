use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::{Amount, PriceLadder};
use crate::accounts::Product;
use crate::register_calls::CallForm;

/// Payment terms of a workspace. Without such a row it has no payment method.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BillingRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Ability to pay.
    pub funding: Funding,
    /// Most that may be unpaid.
    pub ceiling: Option<Amount>,
    /// A page on which a person can settle the cause, instead of the configured
    /// one.
    pub recovery_url: Option<Url>,
    /// Prices of signatures.
    pub ladder: PriceLadder,
}

/// Ability of a workspace to pay.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Funding {
    /// There is no payment method.
    NoRail,
    /// In good standing, up to the ceiling.
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
    /// Time of use.
    pub at: Timestamp,
    /// The item.
    pub item: UsageItem,
    /// The workspace's reference for it: the signing, the order, the answered
    /// request.
    pub reference: String,
    /// The price.
    pub amount: Amount,
    /// The form, where the price depends on it; `None` in rows of earlier
    /// programs.
    #[serde(default)]
    pub form: Option<CallForm>,
}

/// Billable items.
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
    /// Returns the product of the item.
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

/// Usage totals of a workspace, so that rows need not be counted.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UsageTotalRow {
    /// The workspace.
    pub tenant: Uuid,
    /// The counted month, such as `2026-03`, in UTC.
    pub month: String,
    /// Signatures in that month.
    pub signatures: u64,
    /// Amount owed, of all months.
    pub unpaid: Amount,
}

plain_table!(BillingRow: "billing" by Uuid, |row| row.tenant);

plain_table!(UsageRow: "usage" by (Uuid, Uuid), |row| (row.tenant, row.id));

plain_table!(UsageTotalRow: "usage_totals" by Uuid, |row| row.tenant);
