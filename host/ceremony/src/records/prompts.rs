use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Recent prompts of a person, over all ceremonies.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PromptsRow {
    /// Keyed digest of the person's national identifier.
    pub person: String,
    /// Attempts that wait for the person, or ended without a signature.
    pub attempts: Vec<Prompt>,
}

/// One attempt's prompt of a person.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Prompt {
    /// The attempt.
    pub attempt: Uuid,
    /// Time of the prompt.
    pub at: Timestamp,
    /// The attempt has not ended.
    pub waits: bool,
}

plain_table!(PromptsRow: "prompts" by String, |row| row.person.clone());
