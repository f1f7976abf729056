use der::{Encode as _, asn1::BitString};
use jiff::{Timestamp, tz::TimeZone};
use parafa_issuing::{
    Certificate, Time, TimestampInfo,
    der::{encoded, integer, sequence},
    timestamp_token,
};

use super::request::{POLICY, Query};
use crate::{error::WorldError, pki::Credential, random};

const STATUS_GRANTED: u8 = 0;
const STATUS_REJECTION: u8 = 2;

/// `PKIFailureInfo` of RFC 3161, 2.4.2; the numbers are bits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FailureInfo {
    BadAlgorithm = 0,
    BadDataFormat = 5,
    UnacceptedPolicy = 15,
    UnacceptedExtension = 16,
    SystemFailure = 25,
}

/// Signs time-stamp tokens.
pub(super) struct TokenSigner {
    credential: Credential,
    /// Its certificate and the issuing authority's.
    chain: Vec<Certificate>,
}

impl TokenSigner {
    pub(super) fn new(credential: Credential, issuers: Vec<Certificate>) -> Self {
        let mut chain = vec![credential.certificate().clone()];
        chain.extend(issuers);
        Self { credential, chain }
    }

    /// A `TimeStampResp` with a token for this query.
    pub(super) fn grant(
        &self,
        query: &Query,
        now: Timestamp,
        fractional_seconds: bool,
    ) -> Result<Vec<u8>, WorldError> {
        let info = TimestampInfo {
            policy: POLICY,
            imprint: encoded(&query.imprint),
            serial: random::bytes::<12>().to_vec(),
            gen_time: Time::from(gen_time(now, fractional_seconds).as_str()),
            accuracy: Some(1),
            nonce: query.nonce.as_ref().map(encoded).unwrap_or_default(),
        };
        let certificates: &[Certificate] = match query.certificates {
            true => &self.chain,
            false => &[],
        };
        let token = timestamp_token(self.credential.own(), &info.der(), certificates, true)?;
        Ok(sequence(&[
            &sequence(&[&integer(&[STATUS_GRANTED])]),
            &token,
        ]))
    }
}

/// A `TimeStampResp` without a token (RFC 3161, 2.4.2).
pub(super) fn rejection(failure: FailureInfo) -> Result<Vec<u8>, WorldError> {
    let status = sequence(&[&integer(&[STATUS_REJECTION]), &failure.bits()?.to_der()?]);
    Ok(sequence(&[&status]))
}

impl FailureInfo {
    /// A named bit list: trailing zero bits are left out (X.690, 11.2.2).
    fn bits(self) -> der::Result<BitString> {
        let bit = usize::from(self as u8);
        let mut bytes = vec![0; bit / 8 + 1];
        bytes[bit / 8] = 0x80 >> (bit % 8);
        let unused = 7 - (self as u8) % 8;
        BitString::new(unused, bytes)
    }
}

/// GeneralizedTime in UTC; DER allows no trailing zeros in the fraction.
fn gen_time(at: Timestamp, fractional_seconds: bool) -> String {
    let utc = at.to_zoned(TimeZone::UTC);
    let whole = utc.strftime("%Y%m%d%H%M%S").to_string();
    let fraction = format!("{:03}", utc.millisecond());
    let fraction = fraction.trim_end_matches('0');
    if fractional_seconds && !fraction.is_empty() {
        format!("{whole}.{fraction}Z")
    } else {
        format!("{whole}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_has_no_trailing_zeros_in_its_fraction() {
        let at: Timestamp = "2026-03-01T10:11:12.340Z".parse().unwrap();
        assert_eq!(gen_time(at, true), "20260301101112.34Z");
        assert_eq!(gen_time(at, false), "20260301101112Z");
        let whole: Timestamp = "2026-03-01T10:11:12Z".parse().unwrap();
        assert_eq!(gen_time(whole, true), "20260301101112Z");
    }

    #[test]
    fn a_failure_is_the_bit_of_its_number() {
        let bits = FailureInfo::UnacceptedPolicy.bits().unwrap();
        assert_eq!(bits.to_der().unwrap(), [3, 3, 0, 0, 1]);
        let bits = FailureInfo::BadAlgorithm.bits().unwrap();
        assert_eq!(bits.to_der().unwrap(), [3, 2, 7, 0x80]);
    }
}
