//! Several hosts in one process over records that they share: what their
//! races and crashes may and may not do.

mod calls;
mod crash_points;
mod deployment;
mod erasures;
mod mishaps;
mod operators;
mod races;
mod reading;
mod sweeping;
mod witness;
