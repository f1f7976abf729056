//! The signing API's trait, implemented by calls of the services.

mod event;
mod forms;
mod problems;
mod signing;
mod views;

pub use event::event_body;
pub use signing::{Caller, SigningOperations};
