//! Archives from outside, and archives that are written.

mod intake;
mod robustness;
mod writing;
