//! Signs what the organisation answers for with the responsible attorney's key.
//!
//! [`AnswerSigner::jades`] wraps JSON in a JAdES signature,
//! [`AnswerSigner::asice`] packs files into an ASiC-E container with a XAdES
//! signature. Both have a plugin make the format and answer what it needs: the
//! signature by the [`SigningKey`](parafa_attorney::SigningKey), time-stamps,
//! certificates and revocation data through [`parafa_trust`]. The host checks
//! what comes of it as it checks persons' signatures.
//!
//! What cannot be signed is [`SignatureUnavailable`], whatever the reason:
//! nothing unsigned, and nothing below the level that was asked for, comes
//! back.

mod answers;
mod error;
mod signer;
mod standing;

pub use error::SignatureUnavailable;
pub use parafa_plugin_host::PluginDigest;
pub use signer::{
    AnswerSigner, AnswerSignerParts, ContainerFile, Raised, SIGNING_METHOD, SignatureLevel, Signed,
};
