use clap::ValueEnum;
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

/// Finds workspaces by their name, which need not be unique.
pub(crate) const TENANTS_BY_NAME: Index<TenantRow, String> =
    Index::many("by_name", |row| vec![row.name.clone()]);

impl Table for TenantRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("tenants");

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&TENANTS_BY_NAME]
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
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// May do everything.
    Owner,
    /// May do everything that the APIs offer.
    Member,
    /// May only read.
    Viewer,
}

/// The users of a workspace, in the order in which they were added.
pub(crate) const USERS_OF_TENANT: Index<UserRow, Uuid> =
    Index::many("of_tenant", |row| vec![row.tenant]);

/// Finds a user of a workspace by address, as [`folded_email`] has it.
pub(crate) const USER_BY_EMAIL: Index<UserRow, (Uuid, String)> = Index::unique("by_email", |row| {
    vec![(row.tenant, folded_email(&row.email))]
});

/// An address as it is compared: whatever its letters' case.
pub(crate) fn folded_email(email: &str) -> String {
    email.to_lowercase()
}

impl Table for UserRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("users");

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&USERS_OF_TENANT, &USER_BY_EMAIL]
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
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Product {
    /// Signing orchestration.
    Signing,
    /// Due diligence.
    Diligence,
}

impl Product {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Signing => "signing",
            Self::Diligence => "diligence",
        }
    }

    /// Stands for the product in keys of rows; never changed.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Signing => 0,
            Self::Diligence => 1,
        }
    }

    /// What the text of such a key begins with.
    pub(crate) fn key_prefix(self, mode: KeyMode) -> &'static str {
        match (self, mode) {
            (Self::Signing, KeyMode::Live) => "tsk_live_",
            (Self::Signing, KeyMode::Test) => "tsk_test_",
            (Self::Diligence, KeyMode::Live) => "ddk_live_",
            (Self::Diligence, KeyMode::Test) => "ddk_test_",
        }
    }
}

/// Whether a key acts on production or on the sandbox.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyMode {
    /// Production.
    Live,
    /// The sandbox.
    Test,
}

/// Finds a key by its hash.
pub(crate) const KEY_BY_HASH: Index<ApiKeyRow, String> =
    Index::unique("by_hash", |row| vec![row.hash.clone()]);

/// The keys of a workspace, in the order in which they were issued.
pub(crate) const KEYS_OF_TENANT: Index<ApiKeyRow, Uuid> =
    Index::many("of_tenant", |row| vec![row.tenant]);

impl Table for ApiKeyRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("api_keys");

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&KEY_BY_HASH, &KEYS_OF_TENANT]
    }
}
