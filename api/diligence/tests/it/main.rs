//! The contract, as callers of the due-diligence API meet it.

mod answers;
mod fake;
mod kyc;
#[path = "../../../http/tests/it/openapi.rs"]
mod openapi;
mod orders;
mod repetitions;
