//! Agreements of workspaces.

use parafa_register_data::EntityCode;
use parafa_store::{StoreError, Transaction, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::billing::{self, Amount, PaymentRequired, Reserved};

/// Agreements of a workspace for due diligence. Without such a row there are
/// none.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AgreementRow {
    /// The workspace.
    pub tenant: Uuid,
    /// The terms of service are accepted.
    pub terms: bool,
    /// The engagement agreement is signed.
    pub agreement: bool,
    /// The entity that is billed.
    pub entity: Option<EntityCode>,
}

impl AgreementRow {
    /// Returns the row of a workspace without agreements.
    pub fn none(tenant: Uuid) -> Self {
        Self {
            tenant,
            terms: false,
            agreement: false,
            entity: None,
        }
    }
}

/// Reason why a workspace cannot be billed for due diligence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NotBillable {
    /// No billable entity is linked to the workspace, or an agreement is missing.
    NoEntity,
    /// The entity cannot pay now.
    Payment(PaymentRequired),
}

/// Checks that a workspace can be billed this price now; returns the lasting
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
