//! The contract, as callers of the due-diligence API meet it.

mod answers;
mod fake;
mod kyc;
mod orders;
