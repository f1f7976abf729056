//! Tests of new signatures against another implementation.

mod openssl_agrees;
#[expect(dead_code, reason = "signatures here need no responder")]
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
#[path = "../../../pki/tests/it/verified.rs"]
mod verified;
