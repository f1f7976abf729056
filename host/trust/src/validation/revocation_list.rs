use std::time::Duration;

use const_oid::db::rfc5280::{ID_CE_DELTA_CRL_INDICATOR, ID_CE_ISSUING_DISTRIBUTION_POINT};
use der::{Decode, Encode};
use jiff::{SignedDuration, Timestamp};
use x509_cert::crl::TbsCertList;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::crl::dp::IssuingDistributionPoint;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::time::Time;

use super::fault::RevocationListFault;
use super::issuer_statement::IssuerStatement;
use super::revocation::RevocationQuestion;
use crate::certificate::Certificate;
use crate::ocsp::CertificateStatus;
use crate::signature;
use crate::wire::Signed;

/// The statement on a certificate of the issuer's current, complete list, whose signer may sign
/// lists (RFC 5280 clauses 5 and 6.3.3).
pub(super) fn read(
    der: &[u8],
    question: &RevocationQuestion<'_>,
    skew: Duration,
) -> Result<IssuerStatement, RevocationListFault> {
    let RevocationQuestion {
        certificate,
        issuer,
        ..
    } = question;
    let signed = Signed::from_der(der)?;
    let list = TbsCertList::from_der(&signed.tbs_octets)?;
    if list.issuer.to_der()? != issuer.subject_der() {
        return Err(RevocationListFault::OtherIssuer);
    }
    if issuer.key_usage().is_some_and(|usage| !usage.crl_sign()) {
        return Err(RevocationListFault::Purpose);
    }
    let key = issuer.public_key();
    signature::verify(
        key,
        &signed.algorithm,
        None,
        &signed.tbs_octets,
        &signed.signature,
    )
    .map_err(RevocationListFault::Signature)?;
    let this_update = timestamp(list.this_update)?;
    let next_update = list.next_update.ok_or(RevocationListFault::OutOfDate)?;
    let next_update = timestamp(next_update)?;
    check_times(this_update, next_update, question, skew)?;
    check_scope(
        list.crl_extensions.as_deref().unwrap_or_default(),
        certificate,
    )?;
    // Such as certificateIssuer, which moves an entry to another issuer (RFC 5280
    // clause 5.3).
    let entries = || list.revoked_certificates.iter().flatten();
    let mut extensions = entries().flat_map(|entry| entry.crl_entry_extensions.iter().flatten());
    if extensions.any(|extension| extension.critical) {
        return Err(RevocationListFault::Scope);
    }
    let mut entries = entries();
    let entry = entries.find(|entry| entry.serial_number.as_bytes() == certificate.serial_number());
    let status = match entry {
        Some(entry) => CertificateStatus::Revoked {
            at: timestamp(entry.revocation_date)?,
        },
        None => CertificateStatus::Good,
    };
    Ok(IssuerStatement {
        der: der.to_vec(),
        status,
        this_update,
        told_at: this_update,
        next_update: Some(next_update),
    })
}

fn check_times(
    this_update: Timestamp,
    next_update: Timestamp,
    question: &RevocationQuestion<'_>,
    skew: Duration,
) -> Result<(), RevocationListFault> {
    let signed = |duration| SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    let now = question.now;
    let is_begun = now.duration_until(this_update) <= signed(skew);
    let is_current = next_update.duration_until(now) < signed(skew);
    let is_fresh = question
        .list_max_age
        .is_none_or(|age| this_update.duration_until(now) <= signed(age));
    let is_timely = is_begun && is_current && is_fresh;
    is_timely
        .then_some(())
        .ok_or(RevocationListFault::OutOfDate)
}

fn check_scope(
    extensions: &[Extension],
    certificate: &Certificate,
) -> Result<(), RevocationListFault> {
    for extension in extensions {
        let covers = match extension.extn_id {
            ID_CE_ISSUING_DISTRIBUTION_POINT => {
                let point = IssuingDistributionPoint::from_der(extension.extn_value.as_bytes())?;
                point_covers(&point, certificate)
            }
            ID_CE_DELTA_CRL_INDICATOR => false,
            _ => !extension.critical,
        };
        if !covers {
            return Err(RevocationListFault::Scope);
        }
    }
    Ok(())
}

fn point_covers(point: &IssuingDistributionPoint, certificate: &Certificate) -> bool {
    let is_partial = point.only_some_reasons.is_some()
        || point.indirect_crl
        || point.only_contains_attribute_certs;
    let is_of_kind = match certificate.is_authority() {
        true => !point.only_contains_user_certs,
        false => !point.only_contains_ca_certs,
    };
    let is_named = |name: &GeneralName| match name {
        GeneralName::UniformResourceIdentifier(url) => {
            let mut own = certificate.revocation_list_urls().iter();
            own.any(|own| own == url.as_str())
        }
        _ => false,
    };
    let is_of_point = match &point.distribution_point {
        None => true,
        Some(DistributionPointName::FullName(names)) => names.iter().any(is_named),
        Some(DistributionPointName::NameRelativeToCRLIssuer(_)) => false,
    };
    is_of_kind && is_of_point && !is_partial
}

fn timestamp(time: Time) -> Result<Timestamp, RevocationListFault> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs());
    let time = seconds.map(Timestamp::from_second);
    match time {
        Ok(Ok(time)) => Ok(time),
        _ => Err(RevocationListFault::OutOfDate),
    }
}
