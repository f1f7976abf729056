//! Tests of the readers with OpenSSL's output and arbitrary input.

mod hostile;
mod openssl_agrees;
#[expect(dead_code, reason = "no signature is made here")]
mod pki;
mod revocation;
mod verified;
