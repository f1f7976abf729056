use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Link from a card app's secret to a running attempt.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CardLinkRow {
    /// Hash of a pairing code or of a card token, in lower-case hexadecimal.
    pub(crate) hash: String,
    pub(crate) attempt: Uuid,
}

plain_table!(CardLinkRow: "card_links" by String, |row| row.hash.clone());
