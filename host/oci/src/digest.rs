use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const ALGORITHM: &str = "sha256:";

/// The SHA-256 digest that names a content (OCI image-spec 1.1, descriptor.md,
/// "Digests").
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is not `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0:?} is not sha256: followed by 64 lower-case hexadecimal digits")]
pub struct MalformedDigest(String);

impl Digest {
    /// Computes the digest of a content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Returns the 64 hexadecimal digits without the algorithm.
    #[must_use]
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", self.hex())
    }
}

impl FromStr for Digest {
    type Err = MalformedDigest;

    fn from_str(text: &str) -> Result<Self, MalformedDigest> {
        let mut octets = [0; 32];
        let decoded = text
            .strip_prefix(ALGORITHM)
            .filter(|hex| !hex.bytes().any(|byte| byte.is_ascii_uppercase()))
            .map(|hex| hex::decode_to_slice(hex, &mut octets));
        match decoded {
            Some(Ok(())) => Ok(Self(octets)),
            _ => Err(MalformedDigest(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = MalformedDigest;

    fn try_from(text: String) -> Result<Self, MalformedDigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of the empty JSON object, as the image-spec 1.1 prints it.
    const EMPTY_OBJECT: &str =
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

    #[test]
    fn a_digest_is_written_as_the_specification_has_it() {
        assert_eq!(Digest::of(b"{}").to_string(), EMPTY_OBJECT);
        assert_eq!(EMPTY_OBJECT.parse(), Ok(Digest::of(b"{}")));
    }

    #[test]
    fn other_algorithms_lengths_and_capitals_are_no_digest() {
        let hex = &EMPTY_OBJECT[ALGORITHM.len()..];
        for text in [
            hex.to_owned(),
            format!("sha512:{hex}"),
            format!("sha256:{}", hex.to_uppercase()),
            format!("sha256:{}", &hex[2..]),
            format!("sha256:{hex}00"),
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
