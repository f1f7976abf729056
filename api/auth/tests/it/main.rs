//! The contract from outside, with a fake product.

mod contract;
mod envelope;
mod fake;
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod origins;
#[path = "../../../http/tests/it/reference_pages.rs"]
mod reference_pages;
