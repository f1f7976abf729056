//! For how long a workspace keeps what has ended, and what keeps it for longer.

use jiff::Timestamp;
use parafa_store::{
    AnyIndex, Content, Index, StoreError, Table, TableName, Transaction, plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// For how long a workspace keeps signings. One without such a row keeps them until somebody
/// erases them.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RetentionRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Days from a signing's end until it is erased by itself.
    pub days: u16,
}

plain_table!(RetentionRow: "retention" by Uuid, |row| row.tenant);

/// Keeps a signing, or all of a workspace, from being erased by itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct HoldRow {
    /// What is held: the signing, or the workspace.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Since when.
    pub since: Timestamp,
}

/// What is held of a workspace, itself included.
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

/// How many days a workspace keeps a signing; none where it keeps it for ever, or something is
/// held.
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
