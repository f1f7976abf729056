//! What OpenSSL made, and anything, against the readers.

mod hostile;
mod openssl_agrees;
#[expect(dead_code, reason = "no signature is made here")]
mod pki;
mod revocation;
mod verified;
