//! The contract as a caller meets it, over a stand-in for what keeps signings.

mod answers;
mod arbitrary;
mod bodies;
mod create_signing;
mod fake;
mod list_signings;
mod precedence;
mod problems;
mod support;
