//! Webhooks and letters on whole hosts, and unresponsive receivers.

mod unresponsive_receivers;
mod webhooks;
