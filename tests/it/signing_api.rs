//! All calls of the signing API, made from outside: answers, refusals, and
//! stored results.

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
