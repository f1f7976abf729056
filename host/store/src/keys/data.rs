//! Data keys: a data key seals the data of one owner.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use ::bytes::Bytes;
use aws_lc_rs::aead::LessSafeKey;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use super::KeyError;
use super::aead::{self, Secret};
use super::segments::{self, SealedFile};

/// Bytes sealed under a data key: AES-256-GCM, in JSON as base64.
#[derive(Clone, Eq, PartialEq)]
pub struct Sealed(Vec<u8>);

/// A key for the data of one owner. Erasing it erases all of these data.
#[derive(Clone)]
pub struct DataKey {
    secret: Secret,
    /// Cipher for values, created on first use: creating it takes longer than opening a short
    /// value.
    of_values: Arc<OnceLock<LessSafeKey>>,
}

impl DataKey {
    /// Creates a random key that is not stored yet; see
    /// [`DataKeys::keep`](super::DataKeys::keep).
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn random() -> Result<Self, KeyError> {
        Ok(Self::from_secret(aead::random()?))
    }

    pub(super) fn from_secret(secret: Secret) -> Self {
        Self {
            secret,
            of_values: Arc::default(),
        }
    }

    pub(super) fn secret(&self) -> &[u8] {
        self.secret.as_ref()
    }

    /// Seals `plaintext` in a context: opening it needs the same `aad`.
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn seal(&self, aad: &[u8], plaintext: &[u8]) -> Result<Sealed, KeyError> {
        aead::seal(self.of_values(), aad, plaintext).map(Sealed)
    }

    /// Opens bytes sealed under this key in the same context.
    ///
    /// # Errors
    /// [`KeyError::Unsealable`].
    pub fn open(&self, aad: &[u8], sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        aead::open(self.of_values(), aad, sealed.0.clone()).map(Zeroizing::new)
    }

    /// Seals a value as JSON; see [`seal`](Self::seal).
    ///
    /// # Errors
    /// [`KeyError::Json`], [`KeyError::Random`].
    pub fn seal_json<T: Serialize>(&self, aad: &[u8], value: &T) -> Result<Sealed, KeyError> {
        let json = serde_json::to_vec(value).map_err(|_| KeyError::Json)?;
        self.seal(aad, &Zeroizing::new(json))
    }

    /// Opens a value as JSON; see [`open`](Self::open).
    ///
    /// # Errors
    /// [`KeyError::Unsealable`], [`KeyError::Json`].
    pub fn open_json<T: DeserializeOwned>(
        &self,
        aad: &[u8],
        sealed: &Sealed,
    ) -> Result<T, KeyError> {
        serde_json::from_slice(&self.open(aad, sealed)?).map_err(|_| KeyError::Json)
    }

    /// Seals a byte file as it is written.
    pub(crate) fn seal_file(&self, id: &[u8], content: Bytes) -> Result<SealedFile, KeyError> {
        SealedFile::new(self.file_key(id), content)
    }

    /// Opens a whole byte file of either format.
    pub(crate) fn open_file(&self, id: &[u8], sealed: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        if sealed.first() == Some(&segments::FORMAT) {
            segments::open(&self.file_key(id), sealed)
        } else {
            aead::open(&aead::cipher(&self.whole_file_key()), id, sealed)
        }
    }

    /// Seals a byte file as a whole, in the format used before segments.
    #[cfg(test)]
    pub(crate) fn seal_whole_file(&self, id: &[u8], content: &[u8]) -> Vec<u8> {
        let cipher = aead::cipher(&self.whole_file_key());
        aead::seal(&cipher, id, content).expect("sealed")
    }

    /// Derives the key of one byte file in segments; no other file's segments open under it.
    pub(super) fn file_key(&self, id: &[u8]) -> Secret {
        aead::derive(&self.secret, "file-segments", &hex::encode(id))
    }

    /// Derives the key of all byte files that are sealed as a whole.
    pub(super) fn whole_file_key(&self) -> Secret {
        self.purpose("file")
    }

    fn of_values(&self) -> &LessSafeKey {
        self.of_values
            .get_or_init(|| aead::cipher(&self.purpose("seal")))
    }

    fn purpose(&self, purpose: &str) -> Secret {
        aead::derive(&self.secret, purpose, "")
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(..)")
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

impl Serialize for Sealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        STANDARD
            .decode(text.as_bytes())
            .map(Self)
            .map_err(|_| serde::de::Error::custom("expected base64"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> DataKey {
        DataKey::from_secret(Secret::new([byte; 32]))
    }

    #[test]
    fn sealed_data_open_after_a_trip_through_json() {
        let sealed = key(1)
            .seal_json(b"email", &"a@example.com")
            .expect("sealed");
        let text = serde_json::to_string(&sealed).expect("written");
        assert!(!text.contains("example"));
        let back: Sealed = serde_json::from_str(&text).expect("read");

        let email: String = key(1).open_json(b"email", &back).expect("opened");
        assert_eq!(email, "a@example.com");
    }

    #[test]
    fn what_was_sealed_long_ago_still_opens_however_often() {
        let written = "\"AQABAgMEBQYHCAkKC9MoTYlgHXVJPqEU4Qp+M9jBee/NosYlt/UJTKf2trc=\"";
        let sealed: Sealed = serde_json::from_str(written).expect("read");
        let key = key(1);

        for key in [&key, &key.clone(), &key] {
            let email: String = key.open_json(b"email", &sealed).expect("opened");
            assert_eq!(email, "a@example.com");
        }
    }

    #[test]
    fn another_key_or_context_opens_nothing() {
        let sealed = key(1).seal(b"email", b"value").expect("sealed");

        assert!(matches!(
            key(2).open(b"email", &sealed),
            Err(KeyError::Unsealable)
        ));
        assert!(matches!(
            key(1).open(b"name", &sealed),
            Err(KeyError::Unsealable)
        ));
    }
}
