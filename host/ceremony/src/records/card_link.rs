use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Leads from what the card's app presents to an attempt that runs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CardLinkRow {
    /// Lower-case hex of the hash of a pairing code, or of a card token.
    pub(crate) hash: String,
    /// The attempt.
    pub(crate) attempt: Uuid,
}

plain_table!(CardLinkRow: "card_links" by String, |row| row.hash.clone());
