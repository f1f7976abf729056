use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How often a person was asked to sign of late, over all ceremonies.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PromptsRow {
    /// Keyed digest of the person's national identifier.
    pub person: String,
    /// Attempts that wait for the person, or ended without a signature.
    pub attempts: Vec<Prompt>,
}

/// One attempt that asks a person.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Prompt {
    /// The attempt that asks.
    pub attempt: Uuid,
    /// When it began to ask.
    pub at: Timestamp,
    /// Whether it has not ended.
    pub waits: bool,
}

plain_table!(PromptsRow: "prompts" by String, |row| row.person.clone());
