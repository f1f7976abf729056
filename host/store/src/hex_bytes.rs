//! 32-byte values: lower-case hexadecimal in text, bytes in keys.

use std::str::FromStr;

use sha2::{Digest, Sha256};

macro_rules! hex_bytes {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Returns the bytes.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl $crate::key::Key for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.0);
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                let mut bytes = [0; 32];
                hex::decode_to_slice(text.as_bytes(), &mut bytes)
                    .map_err(|_| serde::de::Error::custom("expected 64 hexadecimal digits"))?;
                Ok(Self(bytes))
            }
        }
    };
}

pub(crate) use hex_bytes;

hex_bytes! {
    /// A SHA-256 digest (FIPS 180-4).
    Sha256Digest
}

impl Sha256Digest {
    /// All zeros: the start of a digest chain.
    pub(crate) const ZERO: Self = Self([0; 32]);

    /// Returns the digest of `content`.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Sha256::digest(content).into()
    }
}

impl FromStr for Sha256Digest {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl From<[u8; 32]> for Sha256Digest {
    fn from(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

impl From<sha2::digest::Output<Sha256>> for Sha256Digest {
    fn from(output: sha2::digest::Output<Sha256>) -> Self {
        Self(output.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_lower_case_hexadecimal_in_json() {
        let digest = Sha256Digest::of(b"abc");
        let json = serde_json::to_string(&digest).expect("written");

        assert_eq!(
            json,
            "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""
        );
        let back: Sha256Digest = serde_json::from_str(&json).expect("read");
        assert_eq!(back, digest);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!(serde_json::from_str::<Sha256Digest>("\"ba78\"").is_err());
        assert!("ba78".parse::<Sha256Digest>().is_err());
    }
}
