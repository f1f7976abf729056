//! The contract, as callers of the due-diligence API meet it.

mod kyc;
mod orders;
