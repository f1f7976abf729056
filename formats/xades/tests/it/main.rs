//! Tests of third-party and of own signatures.

#[path = "../../../pki/tests/it/answering.rs"]
mod answering;
mod archiving;
mod container;
#[expect(dead_code, reason = "revocation data of few kinds are needed here")]
#[path = "../../../pki/tests/it/issuing.rs"]
mod issuing;
mod levels;
mod making;
#[expect(dead_code, reason = "responders of their own are not needed here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod robustness;
mod samples;
#[path = "../../../pki/tests/it/tampering.rs"]
mod tampering;
mod wrapping;
