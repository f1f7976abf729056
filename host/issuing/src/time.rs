use std::time::Duration;

use der::DateTime;
use der::asn1::UtcTime;

use crate::IssuingError;
use crate::der::{GENERALIZED_TIME, UTC_TIME, tlv};

/// A time as GeneralizedTime writes it, in UTC.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Time(String);

impl Time {
    /// Whole seconds since the Unix epoch.
    ///
    /// # Errors
    ///
    /// When it is before that or after the year 9999.
    pub fn from_unix(seconds: i64) -> Result<Self, IssuingError> {
        let seconds =
            u64::try_from(seconds).map_err(|_| der::Error::from(der::ErrorKind::DateTime))?;
        let at = DateTime::from_unix_duration(Duration::from_secs(seconds))?;
        Ok(Self(format!(
            "{:04}{:02}{:02}{:02}{:02}{:02}Z",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minutes(),
            at.seconds()
        )))
    }

    /// A GeneralizedTime.
    #[must_use]
    pub fn generalized(&self) -> Vec<u8> {
        tlv(GENERALIZED_TIME, &[self.0.as_bytes()])
    }

    /// `Time` of RFC 5280, 4.1.2.5: UTCTime from 1950 through 2049,
    /// GeneralizedTime otherwise.
    #[must_use]
    pub fn x509(&self) -> Vec<u8> {
        let years = 1950..=UtcTime::MAX_YEAR;
        let year = self.0.get(..4).and_then(|year| year.parse().ok());
        match self.0.get(2..) {
            Some(short) if year.is_some_and(|year| years.contains(&year)) => {
                tlv(UTC_TIME, &[short.as_bytes()])
            }
            _ => self.generalized(),
        }
    }
}

/// The text of a GeneralizedTime, such as `20260101120000Z`.
impl From<&str> for Time {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
