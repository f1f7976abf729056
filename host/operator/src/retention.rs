use parafa_api_signing::views::date_time;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::retention;
use parafa_platform::accounts::Product;
use parafa_platform::retention::{HOLDS_OF_TENANT, HoldRow, RetentionRow};
use parafa_store::{StoreError, Transaction};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::part::all_of;
use crate::tenants::find_tenant;
use crate::{OperateError, OperatorCommands};

/// Retention of a workspace's signings that have ended.
#[derive(Clone, Copy)]
pub(crate) enum Keeping {
    /// Retention period in days; without one, until erased by hand.
    For(Option<u16>),
    /// Hold on this signing, or on all, until released.
    Held(Option<Uuid>),
    /// End of the hold on this signing, or on all.
    Released(Option<Uuid>),
}

impl OperatorCommands {
    pub(crate) async fn keep_signings(
        &self,
        named: &str,
        how: Keeping,
    ) -> Result<Value, OperateError> {
        let tenant = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, named).await?.id;
                    match how {
                        Keeping::For(days) => keep_for(tx, tenant, days).await?,
                        Keeping::Held(signing) => hold(tx, tenant, signing).await?,
                        Keeping::Released(signing) => release(tx, tenant, signing).await?,
                    }
                    Ok::<_, OperateError>(tenant)
                })
            })
            .await?;
        self.shown_retention(tenant).await
    }

    /// Returns the retention period of a workspace, and what is on hold.
    pub(crate) async fn shown_retention(&self, tenant: Uuid) -> Result<Value, OperateError> {
        let store = &self.records.store;
        let kept = store.get::<RetentionRow>(&tenant).await?;
        let holds = all_of(store, &HOLDS_OF_TENANT, tenant).await?;
        let (whole, signings): (Vec<HoldRow>, Vec<HoldRow>) =
            holds.into_iter().partition(|hold| hold.id == tenant);
        let signings = signings.iter();
        let signings: Vec<Value> = signings
            .map(|hold| json!({"signingId": hold.id, "since": date_time(hold.since)}))
            .collect();
        Ok(json!({
            "days": kept.map(|kept| kept.days),
            "heldSince": whole.first().map(|hold| date_time(hold.since)),
            "heldSignings": signings,
        }))
    }
}

async fn keep_for(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    days: Option<u16>,
) -> Result<(), StoreError> {
    if let Some(days) = days {
        tx.put(&RetentionRow { tenant, days }).await?;
    } else {
        tx.delete::<RetentionRow>(&tenant).await?;
    }
    // Without its row, the job finds that it is the last one.
    retention::schedule(tx, tenant).await
}

async fn hold(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    signing: Option<Uuid>,
) -> Result<(), OperateError> {
    if let Some(signing) = signing {
        let row = tx.get::<CeremonyRow>(&signing).await?;
        let is_its = |row: &CeremonyRow| {
            row.tenant == tenant
                && row.owner().product == Product::Signing
                && row.erased_at.is_none()
        };
        row.filter(is_its)
            .ok_or(OperateError::UnknownSigning(signing))?;
    }
    let id = signing.unwrap_or(tenant);
    if tx.get::<HoldRow>(&id).await?.is_none() {
        let since = tx.now();
        tx.insert(&HoldRow { id, tenant, since }).await?;
    }
    Ok(())
}

async fn release(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    signing: Option<Uuid>,
) -> Result<(), OperateError> {
    let id = signing.unwrap_or(tenant);
    let hold = tx.get::<HoldRow>(&id).await?;
    if hold.is_none_or(|hold| hold.tenant != tenant) {
        return Err(OperateError::NotHeld(id));
    }
    tx.delete::<HoldRow>(&id).await?;
    Ok(())
}
