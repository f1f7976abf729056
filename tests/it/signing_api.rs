//! Every call of the signing API as an outsider makes it: what it answers,
//! what it refuses, and what is left behind.

pub(crate) mod account;
mod batches;
mod capabilities;
mod clock;
mod creation;
mod deliveries;
mod details;
mod erasure;
mod evidence;
mod examples;
mod files;
mod headers;
mod idempotency;
mod isolation;
mod parties;
mod proxies;
mod sandbox;
mod sequence;
mod states;
mod wire;
