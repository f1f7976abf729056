//! Archives from outside, and archives that are written.

mod intake;
mod members;
mod robustness;
mod writing;
