use clap::{Args, Subcommand};
use jiff::Timestamp;
use parafa_platform::accounts::{KeyMode, Product};
use parafa_platform::networks::Network;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::id;

/// Terms of a new key.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
pub struct KeyTerms {
    /// A name for its users.
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// When it expires, such as 2027-01-01T00:00:00Z. Default: it works until it is
    /// revoked.
    #[arg(long, value_name = "TIME")]
    pub expires: Option<Timestamp>,
    /// A network or IPv4 address from which it may be used, such as 198.51.100.0/24 or
    /// 2001:db8:1:2::/64; repeat for up to eight. Default: any.
    #[arg(long = "network", value_name = "CIDR")]
    #[serde(default)]
    pub networks: Vec<Network>,
}

/// Commands on API keys.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum KeyCommand {
    /// Issue a key that acts as a user; it is shown only once.
    Issue {
        tenant: String,
        /// The user's email address.
        #[arg(long, value_name = "EMAIL")]
        user: String,
        #[arg(long, value_enum)]
        product: Product,
        #[arg(long, value_enum)]
        mode: KeyMode,
        #[command(flatten)]
        #[serde(flatten)]
        terms: KeyTerms,
    },
    /// List the keys of a workspace.
    List { tenant: String },
    /// Revoke a key.
    Revoke {
        /// The key's id.
        #[arg(value_parser = id)]
        id: Uuid,
    },
}
