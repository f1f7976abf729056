//! Implementation of the authentication API by calls of the services.

mod operations;
mod problems;
pub(crate) mod views;

pub use self::operations::{AuthOperations, Caller};
