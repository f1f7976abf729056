//! The traits of the APIs, implemented by calls of the services.

mod ceremony;
mod event;
mod forms;
mod problems;
mod signing;
mod views;

pub use ceremony::CeremonyOperations;
pub use event::event_body;
pub use signing::{Caller, SigningOperations};
