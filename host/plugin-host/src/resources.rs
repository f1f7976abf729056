//! The host's side of the contract's resources.
#![expect(
    unreachable_pub,
    reason = "the generated bindings re-export these types"
)]

/// The document of a call; there is one.
#[derive(Debug)]
pub struct Blob;

/// The output of a call; there is one.
#[derive(Debug)]
pub struct Sink;

/// A digest in the making.
pub struct Hasher(pub(crate) openssl::hash::Hasher);
