//! Questions from the register to the ledger, and what is left of them.

mod charges;
mod interpretations;
mod log;
mod stage;
