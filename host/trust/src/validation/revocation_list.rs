use std::cmp::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use openssl::asn1::{Asn1Time, Asn1TimeRef};
use openssl::error::ErrorStack;
use openssl::x509::X509Crl;

use crate::certificate::Certificate;

/// Why a revocation list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RevocationListFault {
    /// It is not the DER encoding of a revocation list.
    #[error("the revocation list is malformed")]
    Malformed(#[source] ErrorStack),
    /// Somebody else issued it.
    #[error("the revocation list is another issuer's")]
    OtherIssuer,
    /// Its issuer's key is not for signing lists.
    #[error("the revocation list's issuer may not sign lists")]
    Purpose,
    /// The signature is wrong.
    #[error("the revocation list's signature is not valid")]
    Signature,
    /// It is from the future, or a newer one is due.
    #[error("the revocation list is out of date")]
    OutOfDate,
}

/// When a list was made, and when the next one is due.
pub(super) struct Period {
    pub(super) this_update: Timestamp,
    pub(super) next_update: Timestamp,
}

/// Checks that `issuer`, which may sign lists, signed a list (RFC 5280 clause
/// 5) that is the current one. Of which certificates it tells is for whoever
/// uses it to decide.
pub(super) fn check(
    der: &[u8],
    issuer: &Certificate,
    now: Timestamp,
    skew: Duration,
) -> Result<Period, RevocationListFault> {
    let list = X509Crl::from_der(der).map_err(RevocationListFault::Malformed)?;
    let names = list.issuer_name().try_cmp(issuer.x509().subject_name());
    if !names.is_ok_and(Ordering::is_eq) {
        return Err(RevocationListFault::OtherIssuer);
    }
    if issuer.key_usage().is_some_and(|usage| !usage.crl_sign()) {
        return Err(RevocationListFault::Purpose);
    }
    let verified = list.verify(issuer.public_key());
    // What OpenSSL queued must not surface in the next call of this thread.
    drop(ErrorStack::get());
    if !verified.is_ok_and(|verified| verified) {
        return Err(RevocationListFault::Signature);
    }
    let next_update = list.next_update().ok_or(RevocationListFault::OutOfDate)?;
    let period = Period {
        this_update: timestamp(list.last_update())?,
        next_update: timestamp(next_update)?,
    };
    let skew = SignedDuration::try_from(skew).unwrap_or(SignedDuration::ZERO);
    let is_begun = now.duration_until(period.this_update) <= skew;
    let is_current = period.next_update.duration_until(now) < skew;
    if is_begun && is_current {
        Ok(period)
    } else {
        Err(RevocationListFault::OutOfDate)
    }
}

fn timestamp(time: &Asn1TimeRef) -> Result<Timestamp, RevocationListFault> {
    const SECONDS_A_DAY: i64 = 24 * 60 * 60;

    let epoch = Asn1Time::from_unix(0).map_err(RevocationListFault::Malformed)?;
    let since = epoch.diff(time).map_err(RevocationListFault::Malformed)?;
    let seconds = i64::from(since.days) * SECONDS_A_DAY + i64::from(since.secs);
    Timestamp::from_second(seconds).map_err(|_| RevocationListFault::OutOfDate)
}
