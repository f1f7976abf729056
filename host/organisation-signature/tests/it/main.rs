//! Signatures of the demo world's attorney, made by the real plugins and verified by third-party
//! programs.

mod calls;
mod failures;
mod signatures;
mod stage;
