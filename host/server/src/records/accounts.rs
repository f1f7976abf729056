use jiff::Timestamp;
use parafa_store::{AnyIndex, Index, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A workspace.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TenantRow {
    pub(crate) id: Uuid,
    /// The name that signers see.
    pub(crate) name: String,
    pub(crate) status: TenantStatus,
    pub(crate) created_at: Timestamp,
}

/// Whether a workspace may be worked in.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TenantStatus {
    Active,
    Suspended,
}

impl Table for TenantRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("tenants");

    fn key(&self) -> Uuid {
        self.id
    }
}

/// A person who works in a workspace and whom keys act as.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct UserRow {
    pub(crate) id: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) email: String,
    /// None once revoked.
    pub(crate) role: Option<Role>,
}

/// What a user may do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    Owner,
    Member,
    Viewer,
}

impl Table for UserRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("users");

    fn key(&self) -> Uuid {
        self.id
    }
}

/// An API key. Only its hash is kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ApiKeyRow {
    pub(crate) id: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) user: Uuid,
    pub(crate) product: Product,
    pub(crate) mode: KeyMode,
    /// Lower-case hex of the key's hash.
    pub(crate) hash: String,
    pub(crate) created_at: Timestamp,
    pub(crate) revoked_at: Option<Timestamp>,
}

/// Which API a key is for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Product {
    Signing,
}

/// Whether a key acts on production or on the sandbox.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyMode {
    Live,
    Test,
}

/// Finds a key by its hash.
pub(crate) const KEY_BY_HASH: Index<ApiKeyRow, String> =
    Index::unique("by_hash", |row| vec![row.hash.clone()]);

impl Table for ApiKeyRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("api_keys");

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&KEY_BY_HASH]
    }
}
