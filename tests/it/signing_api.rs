//! Every call of the signing API as an outsider makes it: what it answers,
//! what it refuses, and what is left behind.

mod account;
mod batches;
mod creation;
mod deliveries;
mod erasure;
mod files;
mod idempotency;
mod parties;
mod sandbox;
mod states;
