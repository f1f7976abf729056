//! Workspaces, their users and API keys.

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
    /// The name shown to signers.
    pub name: String,
    /// Its status.
    pub status: TenantStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The category of its documents in ADOC; `None` for the format's default.
    #[serde(default)]
    pub adoc_category: Option<AdocCategory>,
}

/// Status of a workspace.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TenantStatus {
    /// In use.
    Active,
    /// Suspended for the time being.
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
    /// Returns the name in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::GeDOC => "GeDOC",
            Self::BeDOC => "BeDOC",
            Self::CeDOC => "CeDOC",
            Self::GGeDOC => "GGeDOC",
        }
    }
}

/// Index of workspaces by name, which need not be unique.
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

/// A user of a workspace, as whom keys act.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UserRow {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// The address.
    pub email: String,
    /// `None` once revoked.
    pub role: Option<Role>,
}

/// Rights of a user.
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

/// Index of a workspace's users, in the order of their addition.
pub const USERS_OF_TENANT: Index<UserRow, Uuid> = Index::many("of_tenant", |row| vec![row.tenant]);

/// Index of a workspace's users by address, as returned by [`folded_email`].
pub const USER_BY_EMAIL: Index<UserRow, (Uuid, String)> = Index::unique("by_email", |row| {
    vec![(row.tenant, folded_email(&row.email))]
});

/// Returns an address in the form for comparison, which ignores case.
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

/// An API key. Only its hash is stored.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ApiKeyRow {
    /// Its id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// The user as whom it acts.
    pub user: Uuid,
    /// The API of the key.
    pub product: Product,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The key's hash, in lower-case hexadecimal.
    pub hash: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of revocation.
    pub revoked_at: Option<Timestamp>,
    /// A name for its users. Keys of earlier programs have no names, ends and
    /// networks.
    #[serde(default)]
    pub name: Option<String>,
    /// Time of expiry.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// The only networks from which it works; empty for any.
    #[serde(default)]
    pub networks: Vec<Network>,
}

impl ApiKeyRow {
    /// Returns whether it has neither been revoked nor expired.
    pub fn works(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Product that a key is for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// Signing orchestration.
    Signing,
    /// Due diligence.
    Diligence,
}

impl Product {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signing => "signing",
            Self::Diligence => "diligence",
        }
    }

    /// Returns the product's number in keys of rows, which never changes.
    pub fn number(self) -> u32 {
        match self {
            Self::Signing => 0,
            Self::Diligence => 1,
        }
    }

    /// Returns the prefix of such a key's text.
    pub fn key_prefix(self, mode: KeyMode) -> &'static str {
        match (self, mode) {
            (Self::Signing, KeyMode::Live) => "tsk_live_",
            (Self::Signing, KeyMode::Test) => "tsk_test_",
            (Self::Diligence, KeyMode::Live) => "ddk_live_",
            (Self::Diligence, KeyMode::Test) => "ddk_test_",
        }
    }
}

/// Environment of a key: production or the sandbox.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    /// Production.
    Live,
    /// The sandbox.
    Test,
}

/// Index of keys by hash.
pub const KEY_BY_HASH: Index<ApiKeyRow, String> =
    Index::unique("by_hash", |row| vec![row.hash.clone()]);

/// Index of a workspace's keys, in the order of issue.
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

/// A caller of an API.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The key of the call.
    pub key: Uuid,
    /// The product that the key is for.
    pub product: Product,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The role of the key's user.
    pub role: Role,
    /// The only networks from which the key works.
    pub networks: Networks,
    /// The claim to answer the request, if it was claimed.
    pub claim: Option<Claim>,
}

impl Caller {
    /// Returns this caller with the claim to answer the request.
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
