//! What a workspace has agreed to.

use std::fmt;
use std::str::FromStr;

use parafa_store::{Content, StoreError, Table, TableName, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::billing::{self, Amount, PaymentRequired};

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
    let funded = billing::check_funding_of(tx, tenant, price).await?;
    Ok(funded.map_err(NotBillable::Payment))
}

impl Table for AgreementRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("agreements");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.tenant
    }
}

/// The code of a Lithuanian legal entity: nine digits, of which the last
/// checks the others.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntityCode(String);

/// A text that is no entity's code.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no entity's code: nine digits, of which the last checks the others")]
pub struct NoEntityCode(String);

/// Weights of the digits, and those used where the sum leaves 10.
const WEIGHTS: [[u32; 8]; 2] = [[1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 1]];

impl FromStr for EntityCode {
    type Err = NoEntityCode;

    fn from_str(text: &str) -> Result<Self, NoEntityCode> {
        let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(10)).collect();
        match digits.as_deref() {
            Some([digits @ .., last]) if digits.len() == 8 && check_digit(digits) == *last => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(NoEntityCode(text.to_owned())),
        }
    }
}

impl TryFrom<String> for EntityCode {
    type Error = NoEntityCode;

    fn try_from(text: String) -> Result<Self, NoEntityCode> {
        text.parse()
    }
}

impl From<EntityCode> for String {
    fn from(code: EntityCode) -> Self {
        code.0
    }
}

impl fmt::Display for EntityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_digit(digits: &[u32]) -> u32 {
    let remainder = |weights: [u32; 8]| {
        let products = digits
            .iter()
            .zip(weights)
            .map(|(digit, weight)| digit * weight);
        products.sum::<u32>() % 11
    };
    let [first, second] = WEIGHTS.map(remainder);
    match first {
        10 => second % 10,
        digit => digit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_one_only_with_its_check_digit() {
        for code in ["188659752", "188764867", "110003978", "999000009"] {
            assert_eq!(code.parse::<EntityCode>().unwrap().to_string(), code);
        }
        for text in [
            "",
            "18865975",
            "188659753",
            "1886597520",
            "18865975a",
            "٣88659752",
        ] {
            assert!(text.parse::<EntityCode>().is_err(), "{text}");
        }
    }
}
