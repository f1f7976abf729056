//! Signatures that others made, and that are made here.

mod container;
mod samples;
