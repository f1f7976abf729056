//! What a workspace has agreed to.

use parafa_register_data::EntityCode;
use parafa_store::{StoreError, Transaction, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::billing::{self, Amount, PaymentRequired, Reserved};

/// What a workspace has agreed to, for due diligence. One without such a row
/// has agreed to nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AgreementRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Whether the terms of service are accepted.
    pub terms: bool,
    /// Whether the engagement agreement is signed.
    pub agreement: bool,
    /// The entity that is billed.
    pub entity: Option<EntityCode>,
}

impl AgreementRow {
    /// Of a workspace that has agreed to nothing.
    pub fn none(tenant: Uuid) -> Self {
        Self {
            tenant,
            terms: false,
            agreement: false,
            entity: None,
        }
    }
}

/// Why a workspace cannot be billed for due diligence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NotBillable {
    /// No entity that could be billed is linked to it, or what it has to agree to
    /// is not agreed to.
    NoEntity,
    /// The entity cannot pay now.
    Payment(PaymentRequired),
}

/// Why a workspace cannot be billed for something of this price now, the lasting
/// causes first.
///
/// # Errors
/// When the store fails.
pub async fn check_billable(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    price: Amount,
) -> Result<Result<(), NotBillable>, StoreError> {
    let agreement = tx.get::<AgreementRow>(&tenant).await?;
    let is_linked =
        agreement.is_some_and(|agreed| agreed.terms && agreed.agreement && agreed.entity.is_some());
    if !is_linked {
        return Ok(Err(NotBillable::NoEntity));
    }
    let funded = billing::check_funding(tx, tenant, Reserved::amount(price)).await?;
    Ok(funded.map_err(NotBillable::Payment))
}

plain_table!(AgreementRow: "agreements" by Uuid, |row| row.tenant);
