//! Containers that are made and signed here, containers of others, and hostile
//! ones.

mod ceremony;
mod compose;
mod hostile;
#[expect(dead_code, reason = "nothing is revoked here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod referees;
mod robustness;
mod samples;
mod sign;
