//! Implementation of the trait of signers' pages and calls.

mod operations;
mod problems;

pub use operations::CeremonyOperations;
pub use problems::{no_room, problem};
