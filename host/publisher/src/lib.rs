//! Publishers of plugins: their keys, and their signatures of components.
//!
//! Keys are Ed25519 keys (RFC 8032) in PEM: PKCS #8 (RFC 8410) and SubjectPublicKeyInfo. A
//! signature is a JSON file beside the component. It is over three lines of ASCII text, each ended
//! by a line feed: the format of the envelope, `sha256` with the component's digest, and
//! `publisher` with the key's name. That name is the SHA-256 of its SubjectPublicKeyInfo.

use std::path::{Path, PathBuf};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use openssl::error::ErrorStack;
use openssl::pkey::{Id, PKey, Private, Public};
use openssl::sha::sha256;
use openssl::sign::{Signer, Verifier};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

const FORMAT: &str = "parafa-plugin-signature/1";

/// A publisher's public key.
#[derive(Clone, Debug)]
pub struct PublisherKey {
    key: PKey<Public>,
    name: String,
}

/// A publisher's key with its private part.
pub struct KeyPair {
    key: PKey<Private>,
    public: PublisherKey,
}

/// The file does not contain an Ed25519 key.
#[derive(Debug, thiserror::Error)]
#[error("the file holds no Ed25519 {0} key in PEM")]
pub struct InvalidKey(&'static str);

/// A component's signature.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PluginSignature {
    format: String,
    #[serde(with = "hexadecimal")]
    sha256: [u8; 32],
    publisher: String,
    /// Base64.
    signature: String,
}

/// Returns the path of a component's signature.
pub fn signature_file(component: &Path) -> PathBuf {
    let mut path = component.as_os_str().to_owned();
    path.push(".sig");
    path.into()
}

/// The name is the key's digest.
impl PartialEq for PublisherKey {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PublisherKey {}

impl PublisherKey {
    /// Parses a key in PEM.
    ///
    /// # Errors
    /// When it is not a key.
    pub fn from_pem(pem: &[u8]) -> Result<Self, InvalidKey> {
        let invalid = InvalidKey("public");
        match PKey::public_key_from_pem(pem) {
            Ok(key) if key.id() == Id::ED25519 => Self::new(key).map_err(|_| invalid),
            _ => Err(invalid),
        }
    }

    fn new(key: PKey<Public>) -> Result<Self, ErrorStack> {
        let name = hex::encode(sha256(&key.public_key_to_der()?));
        Ok(Self { key, name })
    }

    /// Returns the SHA-256 of the SubjectPublicKeyInfo, in hexadecimal.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key in PEM.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn to_pem(&self) -> anyhow::Result<Vec<u8>> {
        self.key.public_key_to_pem().context("the public key")
    }
}

impl KeyPair {
    /// Generates a key pair.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> anyhow::Result<Self> {
        let key = PKey::generate_ed25519().context("a key cannot be made")?;
        Ok(Self::new(key)?)
    }

    /// Parses a key in PEM.
    ///
    /// # Errors
    /// When it is not a key.
    pub fn from_pem(pem: &[u8]) -> Result<Self, InvalidKey> {
        let invalid = InvalidKey("private");
        match PKey::private_key_from_pem(pem) {
            Ok(key) if key.id() == Id::ED25519 => Self::new(key).map_err(|_| invalid),
            _ => Err(invalid),
        }
    }

    fn new(key: PKey<Private>) -> Result<Self, ErrorStack> {
        let public = PKey::public_key_from_der(&key.public_key_to_der()?)?;
        Ok(Self {
            key,
            public: PublisherKey::new(public)?,
        })
    }

    /// Returns the public part.
    #[must_use]
    pub fn public(&self) -> &PublisherKey {
        &self.public
    }

    /// Returns the private key in PEM.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn to_pem(&self) -> anyhow::Result<Zeroizing<Vec<u8>>> {
        let pem = self.key.private_key_to_pem_pkcs8();
        Ok(Zeroizing::new(pem.context("the private key")?))
    }

    /// Signs the component with this SHA-256.
    ///
    /// # Errors
    /// When OpenSSL fails.
    pub fn sign(&self, component: &[u8; 32]) -> anyhow::Result<PluginSignature> {
        let publisher = self.public.name.clone();
        let signed = signed_text(component, &publisher);
        let signature = Signer::new_without_digest(&self.key)
            .and_then(|mut signer| signer.sign_oneshot_to_vec(signed.as_bytes()))
            .context("the component cannot be signed")?;
        Ok(PluginSignature {
            format: FORMAT.to_owned(),
            sha256: *component,
            publisher,
            signature: BASE64.encode(signature),
        })
    }
}

impl PluginSignature {
    /// Parses the file of a signature.
    ///
    /// # Errors
    /// When it is not a signature.
    pub fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let parsed: Self = serde_json::from_slice(text)
            .map_err(|_| "it is not a signature in the expected envelope")?;
        if parsed.format != FORMAT {
            return Err("its format is not known");
        }
        Ok(parsed)
    }

    /// Returns the name of the key that it claims.
    #[must_use]
    pub fn publisher(&self) -> &str {
        &self.publisher
    }

    /// Returns the SHA-256 of the component that it claims.
    #[must_use]
    pub fn component(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Verifies that it is this key's signature of the component with this SHA-256.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn verify(&self, key: &PublisherKey, component: &[u8; 32]) -> Result<(), &'static str> {
        if self.sha256 != *component {
            return Err("it is of another component");
        }
        let wrong = "it is not the publisher's";
        let signature = BASE64.decode(&self.signature).map_err(|_| wrong)?;
        let signed = signed_text(component, key.name());
        let verified = Verifier::new_without_digest(&key.key)
            .and_then(|mut verifier| verifier.verify_oneshot(&signature, signed.as_bytes()));
        match verified {
            Ok(true) => Ok(()),
            _ => Err(wrong),
        }
    }
}

fn signed_text(component: &[u8; 32], publisher: &str) -> String {
    let component = hex::encode(component);
    format!("{FORMAT}\nsha256 {component}\npublisher {publisher}\n")
}

/// A digest as hexadecimal digits.
mod hexadecimal {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        digest: &[u8; 32],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(digest))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut digest = [0; 32];
        hex::decode_to_slice(text, &mut digest).map_err(D::Error::custom)?;
        Ok(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: &[u8; 32] = &[7; 32];

    #[test]
    fn a_signature_is_verified_after_a_trip_through_files() {
        let pair = KeyPair::generate().unwrap();
        let pair = KeyPair::from_pem(&pair.to_pem().unwrap()).unwrap();
        let key = PublisherKey::from_pem(&pair.public().to_pem().unwrap()).unwrap();
        let text = serde_json::to_vec(&pair.sign(COMPONENT).unwrap()).unwrap();

        let signature = PluginSignature::parse(&text).unwrap();

        assert_eq!(signature.publisher(), key.name());
        assert_eq!(signature.verify(&key, COMPONENT), Ok(()));
    }

    #[test]
    fn a_signature_of_another_component_or_key_is_refused() {
        let pair = KeyPair::generate().unwrap();
        let signature = pair.sign(COMPONENT).unwrap();
        let other = [8; 32];
        assert_eq!(
            signature.verify(pair.public(), &other),
            Err("it is of another component")
        );
        let renamed = PluginSignature {
            sha256: other,
            ..signature.clone()
        };
        assert_eq!(
            renamed.verify(pair.public(), &other),
            Err("it is not the publisher's")
        );
        let stranger = KeyPair::generate().unwrap();
        assert_eq!(
            signature.verify(stranger.public(), COMPONENT),
            Err("it is not the publisher's")
        );
    }

    #[test]
    fn what_is_no_key_or_signature_is_refused() {
        let rsa = openssl::rsa::Rsa::generate(2048).unwrap();
        let rsa = PKey::from_rsa(rsa).unwrap();

        assert!(PublisherKey::from_pem(&rsa.public_key_to_pem().unwrap()).is_err());
        assert!(KeyPair::from_pem(&rsa.private_key_to_pem_pkcs8().unwrap()).is_err());
        assert!(PublisherKey::from_pem(b"").is_err());
        assert!(PluginSignature::parse(b"{}").is_err());
    }
}
