//! Ceremonies, in which people sign a document: its versions, the turns, links
//! and attempts, deadlines, sealing and erasure. Each operation reads, decides
//! with `parafa-domain`, and stores the outcome with its jobs and audit event
//! in one transaction. Only its owner knows the purpose of a ceremony.

pub mod api;
pub mod ceremonies;
pub mod change;
pub mod changes;
mod document;
pub mod downloads;
mod error;
mod face;
pub mod forms;
mod history;
mod letters;
pub mod links;
pub mod metrics;
pub mod notices;
pub mod own_documents;
mod owner;
pub mod plugin_failure;
pub mod prompts;
pub mod quota;
pub mod reader;
pub mod records;
pub mod sealing;
mod unnamed;
pub use parafa_api_ceremony::SubjectNotice;
pub use parafa_platform::waiting;

use parafa_store::StoreError;

pub use crate::ceremonies::{
    Ceremonies, CeremonyParts, attempt, deadline, erase, opening, remind, retention,
};
pub use crate::error::{AttemptsOf, BUSY_RETRY_SECONDS, CeremonyError};
pub use crate::letters::CeremonyLetters;
pub use crate::owner::{CeremonyOwner, ErasedByOwner, Erasure, FinalEventKeys, Owners};

/// Kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[
    attempt::DRIVE,
    deadline::EXPIRE,
    erase::FINISH_ERASURE,
    remind::REMIND,
    retention::ERASE_KEPT,
];

/// Returns random bytes from which a plugin derives the identifiers of one
/// document.
///
/// # Errors
/// Random bytes that are unavailable.
pub fn seed() -> Result<[u8; 32], CeremonyError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| StoreError::Random)?;
    Ok(seed)
}
