//! The product behind the signing API: posted documents, funding, batches,
//! comments and the sandbox. Signers' actions belong to the ceremonies.

pub mod api;
pub mod archive;
pub mod batches;
pub mod comments;
mod compose;
pub mod create_signing;
mod done;
mod error;
mod events;
pub mod files;
mod funding;
pub mod intake;
pub mod listing;
mod product;
pub mod quota;
pub mod records;
mod sealing;
mod signers;
pub mod signings;
pub mod simulate;

pub use crate::error::{IntakeFault, RefusedDocument, SigningError};
pub use crate::events::SigningOwner;
pub use crate::product::{SigningParts, SigningProduct};

/// Kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[batches::INVITE, files::DROP_FILE];
