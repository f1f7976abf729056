//! Runs plugins: loads them, makes an instance for every call, and limits the resources of a call.
//! Answers are passed on as values of the contract.

pub(crate) mod cache;
pub(crate) mod call_clock;
pub(crate) mod engine;
pub(crate) mod guest;
pub(crate) mod guest_log;
pub(crate) mod host;
pub(crate) mod inflation;
pub(crate) mod known_keys;
pub(crate) mod leftovers;
pub(crate) mod limits;
pub(crate) mod memory_limit;
pub(crate) mod meter;
pub(crate) mod observer;
pub(crate) mod output;
pub(crate) mod platform;
pub(crate) mod plugin;
pub(crate) mod preservation;
pub(crate) mod priority;
pub(crate) mod registry;
pub(crate) mod slots;
pub(crate) mod source;
