use clap::Subcommand;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::records::{KeyMode, Product, Role};

/// Everything that an operator can have done.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperatorCommand {
    /// On workspaces.
    Tenant(TenantCommand),
    /// On the people who work in them.
    User(UserCommand),
    /// On API keys.
    Key(KeyCommand),
    /// On webhook deliveries.
    Delivery(DeliveryCommand),
}

/// Commands on workspaces. TENANT is an id or a name.
#[derive(Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TenantCommand {
    /// Make a workspace; signers see its name.
    Create { name: String },
    /// List all workspaces.
    List,
    /// Show one workspace with its users.
    Show { tenant: String },
    /// Stop all keys of a workspace; open ceremony links keep working.
    Suspend { tenant: String },
    /// Let the keys of a suspended workspace work again.
    Resume { tenant: String },
    /// Issue a new webhook secret; the old one signs along for a day.
    RotateSecret {
        tenant: String,
        /// Whose events the secret signs.
        #[arg(long, value_enum)]
        product: Product,
    },
}

/// Commands on users.
#[derive(Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserCommand {
    /// Add a user to a workspace.
    Add {
        tenant: String,
        email: String,
        #[arg(long, value_enum)]
        role: Role,
    },
    /// Give a user another role.
    SetRole {
        tenant: String,
        email: String,
        #[arg(value_enum)]
        role: Role,
    },
    /// Take a user's role away; their keys stop working at once.
    Revoke { tenant: String, email: String },
}

/// Commands on API keys.
#[derive(Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyCommand {
    /// Issue a key that acts as a user; it is shown this once only.
    Issue {
        tenant: String,
        /// The user's email address.
        #[arg(long, value_name = "EMAIL")]
        user: String,
        #[arg(long, value_enum)]
        product: Product,
        #[arg(long, value_enum)]
        mode: KeyMode,
    },
    /// List the keys of a workspace.
    List { tenant: String },
    /// Revoke a key.
    Revoke {
        /// The key's id.
        id: Uuid,
    },
}

/// Commands on webhook deliveries.
#[derive(Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryCommand {
    /// List the deliveries of a workspace, the newest first.
    List { tenant: String },
    /// Send an event again.
    Replay {
        /// The delivery's id.
        id: Uuid,
    },
}
