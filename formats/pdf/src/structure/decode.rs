//! Decoding of structural streams within limits.

use lopdf::{DecompressError, Dictionary, Error, Object, Stream};

use super::dictionary::{RawDictionary, array_items, as_name};
use crate::limits::Limits;

/// Maximum length without a ratio check, in bytes: short streams of regular
/// content compress extremely well.
const RATIO_FREE_BYTES: usize = 1024 * 1024;

/// Supported filters of structure and content streams (ISO 32000-2, 7.4). The
/// others decode to images or need keys.
const FILTERS: [&[u8]; 5] = [
    b"ASCII85Decode",
    b"ASCIIHexDecode",
    b"FlateDecode",
    b"LZWDecode",
    b"RunLengthDecode",
];

/// Error of decoding a stream.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The content exceeds the limits.
    #[error("{encoded} bytes decode to more than {limit} bytes")]
    Bomb {
        /// Length of the encoded data.
        encoded: usize,
        /// The limit that applied, in bytes.
        limit: usize,
    },
    /// The data is invalid for its filters.
    #[error("the data cannot be decoded")]
    Data(#[source] Error),
    /// The filters or their parameters are unsupported.
    #[error("the filters cannot be applied")]
    Filter,
}

/// Decodes streams within a total budget.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    stream_bytes: usize,
    ratio: usize,
    remaining_bytes: usize,
}

impl Decoder {
    /// Creates a decoder with the full budget.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            stream_bytes: limits.decoded_stream_bytes,
            ratio: limits.decoded_ratio,
            remaining_bytes: limits.decoded_total_bytes,
        }
    }

    /// Returns the decoded content of a stream.
    pub(crate) fn decode(
        &mut self,
        dictionary: &RawDictionary<'_>,
        data: &[u8],
    ) -> Result<Vec<u8>, DecodeError> {
        let stream = Stream::new(filter_entries(dictionary)?, data.to_vec());
        let content = self.decode_object(&stream)?;
        self.remaining_bytes = self.remaining_bytes.saturating_sub(content.len());
        Ok(content)
    }

    /// Returns the decoded content of a parsed stream, without charging the
    /// budget.
    pub(crate) fn decode_object(&self, stream: &Stream) -> Result<Vec<u8>, DecodeError> {
        let encoded = stream.content.len();
        let limit = encoded
            .saturating_mul(self.ratio)
            .max(RATIO_FREE_BYTES)
            .min(self.stream_bytes)
            .min(self.remaining_bytes);
        stream
            .get_plain_content_with_limit(limit)
            .map_err(|error| match error {
                Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => {
                    DecodeError::Bomb { encoded, limit }
                }
                other => DecodeError::Data(other),
            })
    }
}

fn filter_entries(dictionary: &RawDictionary<'_>) -> Result<Dictionary, DecodeError> {
    let mut entries = Dictionary::new();
    let Some(filter) = dictionary
        .value(b"Filter")
        .filter(|value| *value != b"null")
    else {
        return Ok(entries);
    };
    let names = each(filter)?
        .into_iter()
        .map(|name| {
            as_name(name)
                .filter(|name| FILTERS.contains(&name.as_slice()))
                .map(Object::Name)
        })
        .collect::<Option<Vec<_>>>()
        .ok_or(DecodeError::Filter)?;
    entries.set("Filter", Object::Array(names));
    if let Some(parameters) = dictionary.value(b"DecodeParms") {
        let parameters = each(parameters)?
            .into_iter()
            .map(parameters_of)
            .collect::<Result<Vec<_>, _>>()?;
        entries.set("DecodeParms", Object::Array(parameters));
    }
    Ok(entries)
}

fn each(value: &[u8]) -> Result<Vec<&[u8]>, DecodeError> {
    if value.starts_with(b"[") {
        array_items(value).map_err(|_| DecodeError::Filter)
    } else {
        Ok(vec![value])
    }
}

fn parameters_of(value: &[u8]) -> Result<Object, DecodeError> {
    if value == b"null" {
        return Ok(Object::Null);
    }
    let mut parameters = Dictionary::new();
    for entry in RawDictionary::scan(value)
        .map_err(|_| DecodeError::Filter)?
        .entries()
    {
        let number = std::str::from_utf8(entry.value)
            .ok()
            .and_then(|digits| digits.parse().ok());
        parameters.set(
            entry.key.to_vec(),
            Object::Integer(number.ok_or(DecodeError::Filter)?),
        );
    }
    Ok(Object::Dictionary(parameters))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn deflated(content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(limits: &Limits, data: &[u8]) -> Result<Vec<u8>, DecodeError> {
        Decoder::new(limits).decode(
            &RawDictionary::scan(b"<</Filter/FlateDecode>>").unwrap(),
            data,
        )
    }

    #[test]
    fn regular_content_within_a_mebibyte_may_have_any_ratio() {
        assert_eq!(
            decode(&Limits::default(), &deflated(&[0; 500_000]))
                .unwrap()
                .len(),
            500_000
        );
    }

    #[test]
    fn content_beyond_the_ratio_is_a_bomb() {
        let data = deflated(&[0; 3_000_000]);

        assert!(matches!(
            decode(&Limits::default(), &data),
            Err(DecodeError::Bomb { .. })
        ));
    }

    #[test]
    fn the_total_of_all_streams_is_limited() {
        let limits = Limits {
            decoded_total_bytes: 150,
            ..Limits::default()
        };
        let mut decoder = Decoder::new(&limits);
        let dictionary =
            RawDictionary::scan(b"<</Filter[/FlateDecode]/DecodeParms[null]>>").unwrap();

        assert!(decoder.decode(&dictionary, &deflated(&[1; 100])).is_ok());
        assert!(matches!(
            decoder.decode(&dictionary, &deflated(&[1; 100])),
            Err(DecodeError::Bomb { .. })
        ));
    }

    #[test]
    fn a_filter_that_needs_a_key_is_not_applied() {
        let dictionary = RawDictionary::scan(b"<</Filter/Crypt>>").unwrap();

        assert!(matches!(
            Decoder::new(&Limits::default()).decode(&dictionary, b""),
            Err(DecodeError::Filter)
        ));
    }
}
