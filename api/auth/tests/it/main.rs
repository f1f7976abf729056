//! The contract from outside, with something simple behind it.

mod contract;
mod envelope;
mod fake;
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod origins;
