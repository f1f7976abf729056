//! Implementations of the API traits by calls of the services.

mod event;
mod evidence;
mod evidence_document;
pub(crate) mod forms;
mod problems;
mod signing;
pub(crate) mod views;
mod vocabulary;

pub use event::SigningNotices;
pub use evidence::audit_trail;
pub use signing::SigningOperations;
