//! The contract from outside, with something simple behind it.

mod contract;
mod envelope;
mod fake;
mod origins;
