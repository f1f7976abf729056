//! Documents from outside, and canonical forms that others agree on.

mod canonical;
mod documents;
mod generated;
mod intake;
mod xmlsec;
