//! The contract as a caller meets it, over a stand-in for what keeps signings.

mod answers;
mod arbitrary;
mod bodies;
mod contract;
mod create_signing;
mod deliveries;
mod description;
mod fake;
mod list_signings;
/// What every description must be.
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod precedence;
mod problems;
/// What every reference must be.
#[path = "../../../http/tests/it/reference_pages.rs"]
mod reference_pages;
mod repetitions;
mod requests;
mod support;
