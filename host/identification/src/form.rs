//! What an order asks for, checked for form.

use parafa_ceremony::records::Delivery;
use parafa_register_data::{EntityCode, Role};
use serde::{Deserialize, Serialize};

/// An order to be.
#[derive(Clone, Debug)]
pub struct OrderForm {
    /// The entity.
    pub entity: EntityCode,
    /// The role that the subject claims.
    pub role: Role,
    /// What the identification is for.
    pub purpose: Purpose,
    /// How the subject gets the link.
    pub delivery: OrderDelivery,
    /// Where the outcome is posted to, an address that webhooks may go to.
    pub callback_url: Option<String>,
}

/// How the subject gets the link.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum OrderDelivery {
    /// The caller hands it on.
    Link,
    /// It is mailed to this address.
    Email(String),
}

impl OrderDelivery {
    pub(crate) fn of_ceremony(&self) -> Delivery {
        match self {
            Self::Link => Delivery::Link,
            Self::Email(_) => Delivery::Email,
        }
    }
}

/// What somebody is identified for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Prevention of money laundering.
    AmlKyc,
    /// Due diligence before or during a business relationship.
    BusinessRelationship,
    /// Due diligence of one transaction.
    Transaction,
    /// A legal claim.
    LegalClaim,
    /// Something else that is lawful.
    Other,
}

impl Purpose {
    /// The name at the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AmlKyc => "AML_KYC",
            Self::BusinessRelationship => "BUSINESS_RELATIONSHIP_DD",
            Self::Transaction => "TRANSACTION_DD",
            Self::LegalClaim => "LEGAL_CLAIM",
            Self::Other => "OTHER",
        }
    }
}
