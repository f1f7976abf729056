//! Integration tests of the PDF format.

mod ceremony;
#[path = "../../../cades/tests/it/pki.rs"]
mod pki;
mod referees;
mod samples;
mod sign;
mod verify;
mod zz_dump;
