use parafa_api_signing::views::date_time;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::retention;
use parafa_platform::accounts::Product;
use parafa_platform::retention::{HOLDS_OF_TENANT, HoldRow, RetentionRow};
use parafa_store::Transaction;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::part::all_of;
use crate::tenants::find_tenant;
use crate::{KeptDays, OperateError, OperatorCommands};

impl OperatorCommands {
    pub(crate) async fn set_retention(
        &self,
        named: &str,
        KeptDays(days): KeptDays,
    ) -> Result<Value, OperateError> {
        let tenant = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    match days {
                        Some(days) => tx.put(&RetentionRow { tenant, days }).await?,
                        None => {
                            tx.delete::<RetentionRow>(&tenant).await?;
                        }
                    }
                    // Without a row it finds that it is the last one.
                    retention::schedule(tx, tenant).await?;
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        self.shown_retention(tenant).await
    }

    pub(crate) async fn hold_signings(
        &self,
        named: &str,
        signing: Option<Uuid>,
    ) -> Result<Value, OperateError> {
        let tenant = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let (tenant, id) = held(tx, named, signing).await?;
                    if tx.get::<HoldRow>(&id).await?.is_none() {
                        let since = tx.now();
                        tx.insert(&HoldRow { id, tenant, since }).await?;
                    }
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        self.shown_retention(tenant).await
    }

    pub(crate) async fn release_signings(
        &self,
        named: &str,
        signing: Option<Uuid>,
    ) -> Result<Value, OperateError> {
        let tenant = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    let id = signing.unwrap_or(tenant);
                    let hold = tx.get::<HoldRow>(&id).await?;
                    if hold.is_none_or(|hold| hold.tenant != tenant) {
                        return Err(OperateError::NotHeld(id));
                    }
                    tx.delete::<HoldRow>(&id).await?;
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        self.shown_retention(tenant).await
    }

    /// For how long a workspace keeps signings, and what is held.
    pub(crate) async fn shown_retention(&self, tenant: Uuid) -> Result<Value, OperateError> {
        let store = &self.records.store;
        let kept = store.get::<RetentionRow>(&tenant).await?;
        let holds = all_of(store, &HOLDS_OF_TENANT, tenant).await?;
        let (whole, signings): (Vec<HoldRow>, Vec<HoldRow>) =
            holds.into_iter().partition(|hold| hold.id == tenant);
        let signings = signings.iter();
        Ok(json!({
            "days": kept.map(|kept| kept.days),
            "heldSince": whole.first().map(|hold| date_time(hold.since)),
            "heldSignings": signings
                .map(|hold| json!({"signingId": hold.id, "since": date_time(hold.since)}))
                .collect::<Vec<_>>(),
        }))
    }
}

/// The workspace, and what of it is to be held.
async fn held(
    tx: &mut Transaction<'_>,
    named: &str,
    signing: Option<Uuid>,
) -> Result<(Uuid, Uuid), OperateError> {
    let tenant = find_tenant(tx, named).await?.id;
    let Some(signing) = signing else {
        return Ok((tenant, tenant));
    };
    let row = tx.get::<CeremonyRow>(&signing).await?;
    let is_signing = |row: &CeremonyRow| {
        row.tenant == tenant && row.owner().product == Product::Signing && row.erased_at.is_none()
    };
    row.filter(is_signing)
        .ok_or(OperateError::UnknownSigning(signing))?;
    Ok((tenant, signing))
}
