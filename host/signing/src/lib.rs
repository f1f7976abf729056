//! The signing API's product: documents that callers post, who pays for them,
//! batches, comments and the sandbox. What signers do is the ceremonies' matter.

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

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[batches::INVITE, files::DROP_FILE];
