//! Which plugins operators have taken out of use, for whoever stores what one has made.

use jiff::Timestamp;
use parafa_store::{StoreError, Transaction, plain_table};
use serde::{Deserialize, Serialize};

/// A plugin that is called no more, and nothing is stored that it makes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DisabledPluginRow {
    /// Lower-case hex of its component's SHA-256.
    pub sha256: String,
    /// Since when.
    pub since: Timestamp,
}

plain_table!(DisabledPluginRow: "disabled_plugins" by String, |row| row.sha256.clone());

/// Whether the plugin of this digest, in lower-case hex, is out of use at the moment of the
/// transaction, whichever host an operator has told so.
///
/// # Errors
/// When the engine fails.
pub async fn is_disabled(tx: &mut Transaction<'_>, sha256: &str) -> Result<bool, StoreError> {
    let row = tx.get::<DisabledPluginRow>(&sha256.to_owned()).await?;
    Ok(row.is_some())
}
