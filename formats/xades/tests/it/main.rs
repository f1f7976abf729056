//! Signatures that others made, and that are made here.

mod container;
mod making;
#[expect(dead_code, reason = "nothing is revoked here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod robustness;
mod samples;
mod wrapping;
