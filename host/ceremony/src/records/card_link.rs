use parafa_store::{Content, Table, TableName};
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

impl Table for CardLinkRow {
    type Key = String;

    const NAME: TableName = TableName::new("card_links");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> String {
        self.hash.clone()
    }
}
