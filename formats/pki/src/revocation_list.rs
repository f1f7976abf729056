//! Certificate revocation lists (RFC 5280, 5): complete ones, signed by the
//! issuer.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::ID_CE_ISSUING_DISTRIBUTION_POINT;
use der::Tag;
use parafa_format_core::Environment;

use crate::asn1::{Element, context, primitive_context};
use crate::certificate::full_names;
use crate::revocation::{CertificateStatus, RevocationError};
use crate::signed::Signed;
use crate::time::{is_time, seconds_since_epoch};
use crate::{Certificate, Error, extension};

/// `expiredCertsOnCRL` (ITU-T X.509, 9.5.2.8).
const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");

/// A CertificateList.
#[derive(Clone, Debug)]
pub(crate) struct RevocationList<'a> {
    signed: Signed<'a>,
    /// DER-encoded Name.
    issuer: &'a [u8],
    this_update: i64,
    next_update: Option<i64>,
    revoked: Option<Element<'a>>,
    scope: Scope<'a>,
}

/// Certificates of the issuer that a CRL covers.
#[derive(Clone, Debug, Default)]
struct Scope<'a> {
    /// An unsupported extension limits it.
    is_partial: bool,
    only_users: bool,
    only_authorities: bool,
    /// DER-encoded GeneralNames of the distribution point.
    distribution_point: Option<Vec<&'a [u8]>>,
    /// Time from which expired certificates are listed.
    expired_since: Option<i64>,
}

impl<'a> RevocationList<'a> {
    /// Reads a DER-encoded CertificateList.
    pub(crate) fn parse(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "CertificateList";

        let mut list = Element::sequence(WHAT, der)?;
        let signed = Signed::read(WHAT, &mut list)?;
        list.finish()?;
        let mut parts = signed.value.children(WHAT)?;
        parts.optional(Tag::Integer)?;
        parts.expect(Tag::Sequence)?;
        let issuer = parts.expect(Tag::Sequence)?.der;
        let this_update = seconds_since_epoch(WHAT, parts.any()?)?;
        let mut rest = parts.remaining()?.into_iter().peekable();
        let next_update = match rest.next_if(is_time) {
            Some(time) => Some(seconds_since_epoch(WHAT, time)?),
            None => None,
        };
        let revoked = rest.next_if(|element| element.tag == Tag::Sequence);
        let scope = match rest.next_if(|element| element.tag == context(0)) {
            Some(extensions) => Scope::parse(extensions)?,
            None => Scope::default(),
        };
        if rest.next().is_some() {
            return Err(Error::unexpected(WHAT));
        }
        Ok(Self {
            signed,
            issuer,
            this_update,
            next_update,
            revoked,
            scope,
        })
    }

    /// Returns the DER-encoded Name of the issuer.
    pub(crate) fn issuer(&self) -> &'a [u8] {
        self.issuer
    }

    /// Returns whether it covers a certificate.
    pub(crate) fn is_about(&self, certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> bool {
        self.issuer == issuer.subject() && self.scope.covers(certificate)
    }

    /// Returns whether `issuer`, authorized to sign CRLs, signed it.
    pub(crate) fn is_signed_by<E: Environment>(
        &self,
        environment: &E,
        issuer: &Certificate<'_>,
    ) -> bool {
        issuer.may_sign_revocation_lists() && self.signed.verifies(environment, issuer)
    }

    /// Returns the status of a covered certificate.
    pub(crate) fn status(
        &self,
        certificate: &Certificate<'_>,
    ) -> Result<CertificateStatus, RevocationError> {
        let revoked_at = self.revoked_at(certificate);
        Ok(CertificateStatus {
            revoked_at: revoked_at.map_err(RevocationError::Unreadable)?,
            this_update: self.this_update,
            next_update: self.next_update,
            told_at: self.this_update,
            expired_since: self.scope.expired_since,
        })
    }

    fn revoked_at(&self, certificate: &Certificate<'_>) -> Result<Option<i64>, Error> {
        const WHAT: &str = "revokedCertificates";

        let Some(revoked) = self.revoked else {
            return Ok(None);
        };
        // CRLs may be long: entries are not kept.
        let mut entries = revoked.children(WHAT)?;
        while !entries.is_finished() {
            let mut entry = entries.expect(Tag::Sequence)?.children(WHAT)?;
            if entry.expect(Tag::Integer)?.der == certificate.serial_number() {
                return seconds_since_epoch(WHAT, entry.any()?).map(Some);
            }
        }
        Ok(None)
    }
}

impl<'a> Scope<'a> {
    /// Reads crlExtensions. An unknown critical extension limits the CRL in an
    /// unknown way.
    fn parse(extensions: Element<'a>) -> Result<Self, Error> {
        const WHAT: &str = "crlExtensions";

        let mut scope = Self::default();
        for extension in extension::read(WHAT, extensions)? {
            match extension.oid {
                ID_CE_ISSUING_DISTRIBUTION_POINT => {
                    scope.limit(Element::parse(WHAT, extension.value)?)?;
                }
                EXPIRED_CERTS_ON_CRL => {
                    let time = Element::parse(WHAT, extension.value)?;
                    scope.expired_since = Some(seconds_since_epoch(WHAT, time)?);
                }
                _ => scope.is_partial |= extension.is_critical,
            }
        }
        Ok(scope)
    }

    /// Applies an IssuingDistributionPoint (RFC 5280, 5.2.5).
    fn limit(&mut self, point: Element<'a>) -> Result<(), Error> {
        for part in point.children("IssuingDistributionPoint")?.remaining()? {
            let is_set = part.value != [0];
            match part.tag {
                tag if tag == context(0) => self.distribution_point = Some(full_names(part)),
                tag if tag == primitive_context(1) => self.only_users = is_set,
                tag if tag == primitive_context(2) => self.only_authorities = is_set,
                _ => self.is_partial |= is_set,
            }
        }
        Ok(())
    }

    fn covers(&self, certificate: &Certificate<'_>) -> bool {
        let is_of_kind = if certificate.is_authority() {
            !self.only_users
        } else {
            !self.only_authorities
        };
        let is_of_point = self
            .distribution_point
            .as_ref()
            .is_none_or(|names| certificate.has_distribution_point(names));
        is_of_kind && is_of_point && !self.is_partial
    }
}
