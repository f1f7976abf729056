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
    /// The signature is wrong.
    #[error("the revocation list's signature is not valid")]
    Signature,
    /// It is from the future, or a newer one is due.
    #[error("the revocation list is out of date")]
    OutOfDate,
}

/// Checks that `issuer` signed a list (RFC 5280 clause 5) that is the current
/// one. Of which certificates it tells is for whoever uses it to decide.
pub(super) fn check(
    der: &[u8],
    issuer: &Certificate,
    now: Timestamp,
    skew: Duration,
) -> Result<(), RevocationListFault> {
    let list = X509Crl::from_der(der).map_err(RevocationListFault::Malformed)?;
    let names = list.issuer_name().try_cmp(issuer.x509().subject_name());
    if !names.is_ok_and(Ordering::is_eq) {
        return Err(RevocationListFault::OtherIssuer);
    }
    let verified = list.verify(issuer.public_key());
    // What OpenSSL queued must not surface in the next call of this thread.
    drop(ErrorStack::get());
    if !verified.is_ok_and(|verified| verified) {
        return Err(RevocationListFault::Signature);
    }
    let skew = SignedDuration::try_from(skew).unwrap_or(SignedDuration::ZERO);
    let is_begun = !is_after(list.last_update(), now, skew)?;
    let is_current = match list.next_update() {
        Some(next) => is_after(next, now, -skew)?,
        None => false,
    };
    if is_begun && is_current {
        Ok(())
    } else {
        Err(RevocationListFault::OutOfDate)
    }
}

/// Whether a time of the list is after `now` and `skew`.
fn is_after(
    time: &Asn1TimeRef,
    now: Timestamp,
    skew: SignedDuration,
) -> Result<bool, RevocationListFault> {
    let limit = now.saturating_add(skew).unwrap_or(now).as_second();
    let limit = Asn1Time::from_unix(limit).map_err(RevocationListFault::Malformed)?;
    let order = time.compare(&limit);
    Ok(order.map_err(RevocationListFault::Malformed)? == Ordering::Greater)
}
