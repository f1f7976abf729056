//! The contract, as callers of the due-diligence API meet it.

mod answers;
mod fake;
mod kyc;
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod orders;
#[path = "../../../http/tests/it/reference_pages.rs"]
mod reference_pages;
mod repetitions;
