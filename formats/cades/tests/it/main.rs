//! Signatures made here against another implementation, and the readers
//! against anything.

mod hostile;
mod openssl_agrees;
mod pki;
mod revocation;
