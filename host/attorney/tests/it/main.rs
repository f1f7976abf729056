//! Keys of every kind, in memory and in a token of SoftHSM.

mod software;
mod support;
mod token;
