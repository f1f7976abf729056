//! Tests of own, third-party and hostile containers.

#[expect(dead_code, reason = "nobody but the root issues here")]
#[path = "../../../pki/tests/it/answering.rs"]
mod answering;
mod archive;
mod ceremony;
mod compose;
mod hostile;
#[expect(dead_code, reason = "revocation data of few kinds are needed here")]
#[path = "../../../pki/tests/it/issuing.rs"]
mod issuing;
mod memory;
#[expect(dead_code, reason = "nothing is revoked here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod referees;
mod robustness;
mod samples;
mod schemas;
mod sign;
#[path = "../../../container/tests/support/signers.rs"]
mod signers;
mod unknown;
