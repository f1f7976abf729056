use parafa_platform::agreement::AgreementRow;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tenants::find_tenant;
use crate::{LinkedEntity, OperateError, OperatorCommands};

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

    /// Returns the agreements of a workspace.
    pub(crate) async fn shown_agreement(&self, tenant: Uuid) -> Result<Value, OperateError> {
        let row = self.records.store.get::<AgreementRow>(&tenant).await?;
        Ok(shown(&row.unwrap_or_else(|| AgreementRow::none(tenant))))
    }
}

fn shown(row: &AgreementRow) -> Value {
    json!({"terms": row.terms, "agreement": row.agreement, "entity": row.entity})
}
