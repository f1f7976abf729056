//! Workspaces, the people who work in them, and the keys that they call with.

use std::net::IpAddr;

use clap::ValueEnum;
use jiff::Timestamp;
use parafa_api_http::{Access, Principal};
use parafa_store::{AnyIndex, Content, Index, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::idempotency::Claim;
use crate::networks::{Network, Networks};

/// A workspace.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TenantRow {
    /// Its id.
    pub id: Uuid,
    /// The name that signers see.
    pub name: String,
    /// Whether it may be worked in.
    pub status: TenantStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// The category of its documents in ADOC; none where the format is to
    /// choose.
    #[serde(default)]
    pub adoc_category: Option<AdocCategory>,
}

/// Whether a workspace may be worked in.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TenantStatus {
    /// It may.
    Active,
    /// It may not, for the time being.
    Suspended,
}

/// The category of a document in ADOC.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[value(rename_all = "verbatim")]
pub enum AdocCategory {
    /// Of an institution.
    GeDOC,
    /// Of a legal person.
    BeDOC,
    /// Of a natural person.
    CeDOC,
    /// Received by an institution from outside of the state.
    GGeDOC,
}

impl AdocCategory {
    /// The name in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::GeDOC => "GeDOC",
            Self::BeDOC => "BeDOC",
            Self::CeDOC => "CeDOC",
            Self::GGeDOC => "GGeDOC",
        }
    }
}

/// Finds workspaces by their name, which need not be unique.
pub const TENANTS_BY_NAME: Index<TenantRow, String> =
    Index::many("by_name", |row| vec![row.name.clone()]);

impl Table for TenantRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("tenants");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&TENANTS_BY_NAME]
    }
}

/// A person who works in a workspace and whom keys act as.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UserRow {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// The address.
    pub email: String,
    /// None once revoked.
    pub role: Option<Role>,
}

/// What a user may do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May do everything.
    Owner,
    /// May do everything that the APIs offer.
    Member,
    /// May only read.
    Viewer,
}

/// The users of a workspace, in the order in which they were added.
pub const USERS_OF_TENANT: Index<UserRow, Uuid> = Index::many("of_tenant", |row| vec![row.tenant]);

/// Finds a user of a workspace by address, as [`folded_email`] has it.
pub const USER_BY_EMAIL: Index<UserRow, (Uuid, String)> = Index::unique("by_email", |row| {
    vec![(row.tenant, folded_email(&row.email))]
});

/// An address as it is compared: whatever its letters' case.
pub fn folded_email(email: &str) -> String {
    email.to_lowercase()
}

impl Table for UserRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("users");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&USERS_OF_TENANT, &USER_BY_EMAIL]
    }
}

/// An API key. Only its hash is kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ApiKeyRow {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Whom it acts as.
    pub user: Uuid,
    /// The API that it is for.
    pub product: Product,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// Lower-case hex of the key's hash.
    pub hash: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when it does not work any more.
    pub revoked_at: Option<Timestamp>,
    /// A name for its users. Earlier programs knew no names, ends and networks.
    #[serde(default)]
    pub name: Option<String>,
    /// When it stops working by itself.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// Where alone it works; anywhere, if there are none.
    #[serde(default)]
    pub networks: Vec<Network>,
}

impl ApiKeyRow {
    /// Whether it has neither been revoked nor ended by itself.
    pub fn works(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Which API a key is for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// Signing orchestration.
    Signing,
    /// Due diligence.
    Diligence,
}

impl Product {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signing => "signing",
            Self::Diligence => "diligence",
        }
    }

    /// Stands for the product in keys of rows; never changed.
    pub fn number(self) -> u32 {
        match self {
            Self::Signing => 0,
            Self::Diligence => 1,
        }
    }

    /// What the text of such a key begins with.
    pub fn key_prefix(self, mode: KeyMode) -> &'static str {
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
pub enum KeyMode {
    /// Production.
    Live,
    /// The sandbox.
    Test,
}

/// Finds a key by its hash.
pub const KEY_BY_HASH: Index<ApiKeyRow, String> =
    Index::unique("by_hash", |row| vec![row.hash.clone()]);

/// The keys of a workspace, in the order in which they were issued.
pub const KEYS_OF_TENANT: Index<ApiKeyRow, Uuid> = Index::many("of_tenant", |row| vec![row.tenant]);

impl Table for ApiKeyRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("api_keys");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&KEY_BY_HASH, &KEYS_OF_TENANT]
    }
}

/// On whose behalf an API is called.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The key that the call was made with.
    pub key: Uuid,
    /// The product that the key is for.
    pub product: Product,
    /// The workspace.
    pub tenant: Uuid,
    /// Whether production or the sandbox is meant.
    pub mode: KeyMode,
    /// What the user may do whom the key acts as.
    pub role: Role,
    /// Where alone the key works.
    pub networks: Networks,
    /// The right to answer the request, where that was claimed.
    pub claim: Option<Claim>,
}

impl Caller {
    /// This caller, with the right to answer the request.
    #[must_use]
    pub fn claiming(self, claim: Claim) -> Self {
        Self {
            claim: Some(claim),
            ..self
        }
    }
}

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        self.key
    }

    fn may(&self, access: Access) -> bool {
        match self.role {
            Role::Owner | Role::Member => true,
            Role::Viewer => access == Access::Read,
        }
    }

    fn may_call_from(&self, address: Option<IpAddr>) -> bool {
        self.networks.admit(address)
    }
}
