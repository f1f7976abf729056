use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// SHA-256 of a plugin's component, which identifies the code that processed a document.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PluginDigest([u8; 32]);

impl PluginDigest {
    /// Computes the digest of a component.
    #[must_use]
    pub fn of(wasm: &[u8]) -> Self {
        Self(openssl::sha::sha256(wasm))
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PluginDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for PluginDigest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let mut bytes = [0; 32];
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) => Ok(Self(bytes)),
            Err(_) => Err(InvalidDigest(text.to_owned())),
        }
    }
}

impl TryFrom<String> for PluginDigest {
    type Error = InvalidDigest;

    fn try_from(text: String) -> Result<Self, InvalidDigest> {
        text.parse()
    }
}

impl From<PluginDigest> for String {
    fn from(digest: PluginDigest) -> Self {
        digest.to_string()
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0:?} is not the SHA-256 of a plugin in hexadecimal")]
pub struct InvalidDigest(pub String);
