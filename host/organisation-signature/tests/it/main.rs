//! Signatures of the demo world's attorney, through the real plugins, judged by
//! programs that others made.

mod calls;
mod failures;
mod signatures;
mod stage;
