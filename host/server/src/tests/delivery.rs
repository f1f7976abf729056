//! Webhooks and letters on whole hosts, and receivers that do not answer.

mod unresponsive_receivers;
mod webhooks;
