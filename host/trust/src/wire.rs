//! ASN.1 that the field sends and the `der` types refuse or rewrite.

use der::asn1::{Any, BitString};
use der::{Decode, DecodeValue, Encode, FixedTag, Header, Reader, SliceReader, Tag};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use spki::AlgorithmIdentifierOwned;

/// Digits of a second's fraction that are read; finer ones are cut off.
const MAX_FRACTION_DIGITS: usize = 9;

/// A GeneralizedTime in UTC, with or without a fraction of a second.
///
/// RFC 3161 clause 2.4.2 allows fractions in genTime, and OCSP responders send
/// them too; `der::asn1::GeneralizedTime` reads whole seconds only.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct WireTime(pub(crate) Timestamp);

impl WireTime {
    fn parse(text: &[u8]) -> Option<Timestamp> {
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (text, ""),
        };
        let all_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() != 14 || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let number = |range: std::ops::Range<usize>| whole.get(range)?.parse::<i8>().ok();
        let nanoseconds = fraction
            .bytes()
            .chain(std::iter::repeat(b'0'))
            .take(MAX_FRACTION_DIGITS)
            .fold(0_i32, |sum, digit| sum * 10 + i32::from(digit - b'0'));
        let civil = DateTime::new(
            whole.get(0..4)?.parse().ok()?,
            number(4..6)?,
            number(6..8)?,
            number(8..10)?,
            number(10..12)?,
            number(12..14)?,
            nanoseconds,
        )
        .ok()?;
        TimeZone::UTC.to_timestamp(civil).ok()
    }
}

impl FixedTag for WireTime {
    const TAG: Tag = Tag::GeneralizedTime;
}

impl<'a> DecodeValue<'a> for WireTime {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        let text = reader.read_slice(header.length)?;
        Self::parse(text)
            .map(Self)
            .ok_or_else(|| Self::TAG.value_error())
    }
}

/// A SET OF with its elements exactly as received, duplicates too. The types of `der` refuse or
/// rewrite some inputs that deployed services send.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RawSet {
    value: Vec<u8>,
}

impl RawSet {
    /// The elements in the order received.
    pub(crate) fn elements<T>(&self) -> der::Result<Vec<T>>
    where
        T: for<'a> Decode<'a>,
    {
        let mut reader = SliceReader::new(&self.value)?;
        let mut elements = Vec::new();
        while !reader.is_finished() {
            elements.push(reader.decode()?);
        }
        Ok(elements)
    }

    /// The elements' own encodings, in the order received.
    pub(crate) fn element_octets(&self) -> der::Result<Vec<Vec<u8>>> {
        let mut reader = SliceReader::new(&self.value)?;
        let mut elements = Vec::new();
        while !reader.is_finished() {
            elements.push(reader.tlv_bytes()?.to_vec());
        }
        Ok(elements)
    }

    /// The set's DER encoding under its universal tag, whatever tag and order it arrived in: the
    /// input of a CMS signature (RFC 5652 clause 5.4).
    pub(crate) fn to_canonical(&self) -> der::Result<Vec<u8>> {
        let mut elements = self.element_octets()?;
        elements.sort();
        Any::new(Tag::Set, elements.concat())?.to_der()
    }
}

impl FixedTag for RawSet {
    const TAG: Tag = Tag::Set;
}

impl<'a> DecodeValue<'a> for RawSet {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        Ok(Self {
            value: reader.read_vec(header.length)?,
        })
    }
}

/// A certificate or a revocation list, with its signed part exactly as received (RFC 5280 clauses
/// 4.1 and 5.1).
pub(crate) struct Signed {
    pub(crate) tbs_octets: Vec<u8>,
    pub(crate) algorithm: AlgorithmIdentifierOwned,
    pub(crate) signature: Vec<u8>,
}

impl<'a> Decode<'a> for Signed {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let tbs_octets = reader.tlv_bytes()?.to_vec();
            let algorithm = reader.decode()?;
            let signature: BitString = reader.decode()?;
            let signature = signature.as_bytes();
            Ok(Self {
                tbs_octets,
                algorithm,
                signature: signature
                    .ok_or_else(|| Tag::BitString.value_error())?
                    .to_vec(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> der::Result<Timestamp> {
        let mut octets = vec![0x18, u8::try_from(text.len()).expect("a short text")];
        octets.extend(text.bytes());
        WireTime::from_der(&octets).map(|time| time.0)
    }

    #[test]
    fn whole_and_fractional_seconds_are_read() {
        for (text, expected) in [
            ("20261121161500Z", "2026-11-21T16:15:00Z"),
            ("20261121161500.927Z", "2026-11-21T16:15:00.927Z"),
            (
                "20261121161500.1234567891Z",
                "2026-11-21T16:15:00.123456789Z",
            ),
        ] {
            let expected: Timestamp = expected.parse().expect("a timestamp");
            assert_eq!(decode(text).expect("a time"), expected, "{text}");
        }
    }

    #[test]
    fn times_that_are_not_utc_or_no_times_are_refused() {
        for text in [
            "20261121161500",
            "20261121161500+0200",
            "20261121161500.Z",
            "20261121161500,5Z",
            "20261121161500.5xZ",
            "202611211615001Z",
            "+0261121161500Z",
            "2026112116150Z",
            "20261321161500Z",
            "20261121256500Z",
            "2026112116150+Z",
            "Z",
            "",
        ] {
            assert!(decode(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_set_keeps_its_elements_and_sorts_them_for_the_signature() {
        let received = [0x31, 9, 2, 1, 5, 2, 1, 3, 2, 1, 5];
        let set = RawSet::from_der(&received).expect("a set");
        assert_eq!(set.elements::<u8>().expect("integers"), [5, 3, 5]);
        let sorted = [0x31, 9, 2, 1, 3, 2, 1, 5, 2, 1, 5];
        assert_eq!(set.to_canonical().expect("DER"), sorted);
    }
}
