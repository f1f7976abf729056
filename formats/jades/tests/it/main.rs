//! Tests of payloads signed here, and of third-party and modified JWS.

#[expect(dead_code, reason = "nothing that was stored is answered here")]
#[path = "../../../pki/tests/it/answering.rs"]
mod answering;
mod archiving;
mod ceremony;
mod hostile;
#[expect(dead_code, reason = "revocation data of few kinds are needed here")]
#[path = "../../../pki/tests/it/issuing.rs"]
mod issuing;
mod judges;
mod payloads;
#[expect(dead_code, reason = "responders of their own are not needed here")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod robustness;
mod samples;
mod sign;
mod tampered;
#[path = "../../../pki/tests/it/tampering.rs"]
mod tampering;
