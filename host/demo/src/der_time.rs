//! Times as DER has them.

use std::time::Duration;

use der::{
    DateTime,
    asn1::{GeneralizedTime, UtcTime},
};
use jiff::Timestamp;
use x509_cert::time::Time;
use x509_ocsp::OcspGeneralizedTime;

/// `Time` of RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime after.
pub(crate) fn x509_time(at: Timestamp) -> der::Result<Time> {
    let date_time = date_time(at)?;
    if date_time.year() <= UtcTime::MAX_YEAR {
        Ok(Time::UtcTime(UtcTime::from_date_time(date_time)?))
    } else {
        Ok(Time::GeneralTime(GeneralizedTime::from_date_time(
            date_time,
        )))
    }
}

/// GeneralizedTime of RFC 6960, without fractions.
pub(crate) fn ocsp_time(at: Timestamp) -> der::Result<OcspGeneralizedTime> {
    Ok(OcspGeneralizedTime::from(date_time(at)?))
}

fn date_time(at: Timestamp) -> der::Result<DateTime> {
    let seconds = u64::try_from(at.as_second()).map_err(|_| der::ErrorKind::DateTime)?;
    DateTime::from_unix_duration(Duration::from_secs(seconds))
}
