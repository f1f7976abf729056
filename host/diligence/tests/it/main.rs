//! Questions from the register to the ledger, and what is left of them.

mod log;
mod stage;
