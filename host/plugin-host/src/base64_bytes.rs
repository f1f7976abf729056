//! Bytes as base64 text in the serialized form of requests and answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that serialize as one base64 string.
#[derive(Clone, Copy)]
struct Text<T>(T);

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Text(bytes).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    Ok(Text::<Vec<u8>>::deserialize(deserializer)?.0)
}

/// Exactly 32 bytes.
pub(crate) mod array {
    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Text};

    pub(crate) fn serialize<S: Serializer>(
        bytes: &[u8; 32],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Text(bytes.as_slice()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; 32], D::Error> {
        let Text(bytes) = Text::<Vec<u8>>::deserialize(deserializer)?;
        bytes
            .try_into()
            .map_err(|bytes: Vec<u8>| D::Error::invalid_length(bytes.len(), &"32 bytes"))
    }
}

/// A list of byte strings.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Serializer, Text};

    pub(crate) fn serialize<S: Serializer>(
        list: &[Vec<u8>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(|bytes| Text(bytes.as_slice())))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Vec<u8>>, D::Error> {
        let list = Vec::<Text<Vec<u8>>>::deserialize(deserializer)?;
        Ok(list.into_iter().map(|text| text.0).collect())
    }
}

/// Bytes, or the reason why there are none.
pub(crate) mod outcome {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Text};

    pub(crate) fn serialize<S: Serializer>(
        outcome: &Result<Vec<u8>, String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        outcome
            .as_ref()
            .map(|bytes| Text(bytes.as_slice()))
            .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<Vec<u8>, String>, D::Error> {
        let outcome = Result::<Text<Vec<u8>>, String>::deserialize(deserializer)?;
        Ok(outcome.map(|text| text.0))
    }
}

impl Serialize for Text<&[u8]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Text<Vec<u8>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}
