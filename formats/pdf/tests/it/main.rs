//! Integration tests of the PDF format.

mod ceremony;
mod earlier_signatures;
mod flatten;
mod flatten_samples;
mod forged;
mod intake;
mod permissions;
#[path = "../../../cades/tests/it/pki.rs"]
mod pki;
mod referees;
mod robustness;
mod samples;
mod sign;
mod verdicts;
mod verify;
