//! The trait of signers' pages and calls, implemented by calls of the services.

mod operations;
mod problems;

pub use operations::CeremonyOperations;
pub use problems::{no_room, problem};
