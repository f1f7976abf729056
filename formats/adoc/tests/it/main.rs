//! Tests of own and third-party documents.

mod cases;
mod ceremony;
mod compose;
mod members;
#[expect(dead_code, reason = "nothing is revoked here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod referees;
mod robustness;
mod samples;
mod sign;
#[path = "../../../container/tests/support/signers.rs"]
mod signers;
mod unknown;
