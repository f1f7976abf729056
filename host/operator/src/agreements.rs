use std::str::FromStr;

use parafa_platform::agreement::AgreementRow;
use parafa_register_data::EntityCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tenants::find_tenant;
use crate::{OperateError, OperatorCommands};

/// The entity that is to be billed from now on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkedEntity {
    /// The one with this code.
    Code(EntityCode),
    /// No entity.
    Nobody,
}

/// A text that is no entity's code.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no entity's code: nine digits, of which the last checks the others")]
pub struct NoEntityCode(String);

impl FromStr for LinkedEntity {
    type Err = NoEntityCode;

    fn from_str(text: &str) -> Result<Self, NoEntityCode> {
        match text {
            "none" => Ok(Self::Nobody),
            code => match code.parse() {
                Ok(code) => Ok(Self::Code(code)),
                Err(_) => Err(NoEntityCode(code.to_owned())),
            },
        }
    }
}

impl OperatorCommands {
    pub(crate) async fn set_agreement(
        &self,
        named: &str,
        terms: Option<bool>,
        agreement: Option<bool>,
        entity: Option<LinkedEntity>,
    ) -> Result<Value, OperateError> {
        let entity = &entity;
        let row = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    let row = tx.get::<AgreementRow>(&tenant).await?;
                    let mut row = row.unwrap_or_else(|| AgreementRow::none(tenant));
                    row.terms = terms.unwrap_or(row.terms);
                    row.agreement = agreement.unwrap_or(row.agreement);
                    match entity {
                        None => {}
                        Some(LinkedEntity::Nobody) => row.entity = None,
                        Some(LinkedEntity::Code(code)) => row.entity = Some(code.clone()),
                    }
                    tx.put(&row).await?;
                    Ok::<_, OperateError>(row)
                })
            })
            .await?;
        Ok(shown(&row))
    }

    /// What a workspace has agreed to.
    pub(crate) async fn shown_agreement(&self, tenant: Uuid) -> Result<Value, OperateError> {
        let row = self.records.store.get::<AgreementRow>(&tenant).await?;
        Ok(shown(&row.unwrap_or_else(|| AgreementRow::none(tenant))))
    }
}

fn shown(row: &AgreementRow) -> Value {
    json!({"terms": row.terms, "agreement": row.agreement, "entity": row.entity})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_linked_by_a_code_with_its_check_digit() {
        for code in ["188659752", "188764867", "110003978", "999000009"] {
            let Ok(LinkedEntity::Code(linked)) = code.parse() else {
                panic!("{code} is a code")
            };
            assert_eq!(linked.to_string(), code);
        }
        for text in [
            "",
            "18865975",
            "188659753",
            "1886597520",
            "18865975a",
            "٣88659752",
        ] {
            assert!(text.parse::<LinkedEntity>().is_err(), "{text}");
        }
    }
}
