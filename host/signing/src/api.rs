//! The traits of the APIs, implemented by calls of the services.

mod event;
pub(crate) mod forms;
mod problems;
mod signing;
pub(crate) mod views;
mod vocabulary;

pub use event::SigningNotices;
pub use signing::SigningOperations;
