//! The APIs' traits, implemented by thin calls into the workflows.

mod event;
mod forms;
mod problems;
mod signing;
mod views;

pub(crate) use event::event_body;
pub(crate) use signing::Signings;
