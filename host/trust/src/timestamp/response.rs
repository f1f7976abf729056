//! TimeStampResp (RFC 3161 clause 2.4.2).

use der::asn1::{Any, BitString};
use der::{Decode, Encode, Reader};

use super::{TimestampFault, TokenFault};

const GRANTED: u8 = 0;
const GRANTED_WITH_MODS: u8 = 1;

/// An authority's answer; the token is DER as received.
pub(super) struct TimestampResponse {
    status: u8,
    failure: Vec<u8>,
    token: Option<Vec<u8>>,
}

impl TimestampResponse {
    pub(super) fn parse(octets: &[u8]) -> der::Result<Self> {
        Self::from_der(octets)
    }

    pub(super) fn into_token(self) -> Result<Vec<u8>, TimestampFault> {
        match (self.status, self.token) {
            (GRANTED | GRANTED_WITH_MODS, Some(token)) => Ok(token),
            (GRANTED | GRANTED_WITH_MODS, None) => Err(TimestampFault::Invalid(TokenFault::Absent)),
            (status, _) => Err(TimestampFault::Refused {
                status,
                failure: self.failure,
            }),
        }
    }
}

impl<'a> Decode<'a> for TimestampResponse {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let PkiStatusInfo { status, failure } = reader.decode()?;
            let token = match reader.decode::<Option<Any>>()? {
                Some(token) => Some(token.to_der()?),
                None => None,
            };
            Ok(Self {
                status,
                failure,
                token,
            })
        })
    }
}

/// PKIStatusInfo. Its free text is not kept: the authority may write anything there.
struct PkiStatusInfo {
    status: u8,
    failure: Vec<u8>,
}

impl<'a> Decode<'a> for PkiStatusInfo {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        reader.sequence(|reader| {
            let status = reader.decode()?;
            let _free_text: Option<Vec<Any>> = reader.decode()?;
            let failure: Option<BitString> = reader.decode()?;
            let failure = failure.as_ref().map(|bits| {
                (0..=u8::MAX)
                    .zip(bits.bits())
                    .filter_map(|(position, is_set)| is_set.then_some(position))
                    .collect()
            });
            Ok(Self {
                status,
                failure: failure.unwrap_or_default(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_its_failure_bits() {
        let refused = hex::decode("30093007020102030205A0").expect("hexadecimal");
        let response = TimestampResponse::parse(&refused).expect("a response");
        let Err(TimestampFault::Refused { status, failure }) = response.into_token() else {
            panic!("a refusal was taken for a token");
        };
        assert_eq!((status, failure), (2, vec![0, 2]));
    }

    #[test]
    fn a_grant_without_a_token_is_invalid() {
        let empty = hex::decode("30053003020100").expect("hexadecimal");
        let response = TimestampResponse::parse(&empty).expect("a response");
        assert!(matches!(
            response.into_token(),
            Err(TimestampFault::Invalid(TokenFault::Absent))
        ));
    }
}
