//! The APIs' traits, implemented by thin calls into the workflows.

mod forms;
mod problems;
mod signing;
mod views;

pub(crate) use signing::Signings;
