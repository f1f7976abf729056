//! Tests of external documents, and of canonical forms against other
//! implementations.

mod canonical;
mod documents;
mod generated;
mod intake;
mod xmlsec;
