//! Retention of ended signings by a workspace, and holds.

use jiff::Timestamp;
use parafa_store::{
    AnyIndex, Content, Index, StoreError, Table, TableName, Transaction, plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Retention period of a workspace. Without such a row it keeps signings until they are erased
/// on request.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RetentionRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Days from a signing's end until its automatic erasure.
    pub days: u16,
}

plain_table!(RetentionRow: "retention" by Uuid, |row| row.tenant);

/// A hold, which exempts a signing or a whole workspace from automatic erasure.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct HoldRow {
    /// The signing or the workspace on hold.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Start of the hold.
    pub since: Timestamp,
}

/// Index of a workspace's holds, including its own.
pub const HOLDS_OF_TENANT: Index<HoldRow, Uuid> = Index::many("of_tenant", |row| vec![row.tenant]);

impl Table for HoldRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("holds");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&HOLDS_OF_TENANT]
    }
}

/// Returns the number of days that a workspace keeps a signing; `None` where it keeps it for
/// ever, or there is a hold.
///
/// # Errors
/// When the store fails.
pub async fn kept_days(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    signing: Uuid,
) -> Result<Option<u16>, StoreError> {
    let Some(kept) = tx.get::<RetentionRow>(&tenant).await? else {
        return Ok(None);
    };
    for held in [tenant, signing] {
        if tx.get::<HoldRow>(&held).await?.is_some() {
            return Ok(None);
        }
    }
    Ok(Some(kept.days))
}
