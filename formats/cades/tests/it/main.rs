//! Signatures made here against another implementation, and the reader
//! against anything.

mod hostile;
mod openssl_agrees;
mod pki;
