//! Signs on the organisation's behalf with the responsible attorney's key.
//!
//! [`AnswerSigner::jades`] wraps JSON in a JAdES signature. [`AnswerSigner::asice`] packs files
//! into an ASiC-E container with a XAdES signature. In both, a plugin makes the format, and its
//! needs are answered: the signature by the [`SigningKey`](parafa_attorney::SigningKey),
//! time-stamps, certificates and revocation data through [`parafa_trust`]. The host checks the
//! outcome as it checks persons' signatures.
//!
//! A failure is [`SignatureUnavailable`], whatever the reason. Nothing unsigned is returned, and
//! nothing below the requested level.

mod answers;
mod error;
mod signer;
mod standing;

pub use error::SignatureUnavailable;
pub use parafa_plugin_host::PluginDigest;
pub use signer::{
    AnswerSigner, AnswerSignerParts, ContainerFile, Raised, SIGNING_METHOD, SignatureLevel, Signed,
};
