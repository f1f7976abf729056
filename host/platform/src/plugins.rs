//! Plugins that operators have disabled, for transactions that store a plugin's output.

use jiff::Timestamp;
use parafa_store::{StoreError, Transaction, plain_table};
use serde::{Deserialize, Serialize};

/// A disabled plugin: it is not called, and its output is not stored.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DisabledPluginRow {
    /// SHA-256 of its component, in lower-case hexadecimal.
    pub sha256: String,
    /// Time of disabling.
    pub since: Timestamp,
}

plain_table!(DisabledPluginRow: "disabled_plugins" by String, |row| row.sha256.clone());

/// Returns whether the plugin with this digest, in lower-case hexadecimal, is disabled at
/// the moment of the transaction, on any host.
///
/// # Errors
/// When the engine fails.
pub async fn is_disabled(tx: &mut Transaction<'_>, sha256: &str) -> Result<bool, StoreError> {
    let row = tx.get::<DisabledPluginRow>(&sha256.to_owned()).await?;
    Ok(row.is_some())
}
