//! Questions from the registers to the ledger, and their traces.

mod charges;
mod interpretations;
mod log;
mod stage;
