//! The contract as a caller sees it, over a fake product.

mod answers;
mod arbitrary;
mod bodies;
mod contract;
mod create_signing;
mod deliveries;
mod description;
mod fake;
mod list_signings;
/// Requirements on every description.
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod precedence;
mod problems;
/// Requirements on every reference.
#[path = "../../../http/tests/it/reference_pages.rs"]
mod reference_pages;
mod repetitions;
mod requests;
mod support;
