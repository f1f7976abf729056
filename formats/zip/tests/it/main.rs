//! Tests of external and of written archives.

mod intake;
mod members;
mod robustness;
mod writing;
