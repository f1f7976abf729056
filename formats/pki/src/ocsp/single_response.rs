use const_oid::db::rfc6960::{ID_PKIX_OCSP_ARCHIVE_CUTOFF, ID_PKIX_OCSP_CRL};
use der::Tag;
use parafa_format_core::{DigestAlgorithm, Environment};

use crate::algorithm::decode_digest;
use crate::asn1::{Element, context, primitive_context};
use crate::issuer::Issuer;
use crate::time::seconds_since_epoch;
use crate::{Certificate, Error, extension};

/// Status of one certificate in a response (RFC 6960, 4.2.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct SingleResponse<'a> {
    /// Algorithm of the digests; `None` if it is not in the catalogue.
    algorithm: Option<DigestAlgorithm>,
    issuer_name_hash: &'a [u8],
    issuer_key_hash: &'a [u8],
    /// DER-encoded INTEGER.
    pub(super) serial_number: &'a [u8],
    pub(super) status: Status,
    pub(super) this_update: i64,
    pub(super) next_update: Option<i64>,
    /// Time from which expired certificates are covered (4.4.4).
    pub(super) archive_cutoff: Option<i64>,
    /// Has an unknown critical extension.
    pub(super) is_limited: bool,
}

/// Certificate status.
#[derive(Clone, Copy, Debug)]
pub(super) enum Status {
    Good,
    Revoked(i64),
    Unknown,
}

impl<'a> SingleResponse<'a> {
    pub(super) fn parse(response: Element<'a>) -> Result<Self, Error> {
        const WHAT: &str = "SingleResponse";

        let mut parts = response.children(WHAT)?;
        let mut id = parts.expect(Tag::Sequence)?.children("CertID")?;
        let algorithm = decode_digest(id.expect(Tag::Sequence)?)?;
        let issuer_name_hash = id.expect(Tag::OctetString)?.value;
        let issuer_key_hash = id.expect(Tag::OctetString)?.value;
        let serial_number = id.expect(Tag::Integer)?.der;
        let status = Status::parse(parts.any()?)?;
        let this_update = seconds_since_epoch(WHAT, parts.expect(Tag::GeneralizedTime)?)?;
        let next_update = match parts.optional(context(0))? {
            Some(time) => Some(seconds_since_epoch(
                WHAT,
                Element::parse(WHAT, time.value)?,
            )?),
            None => None,
        };
        let mut single = Self {
            algorithm,
            issuer_name_hash,
            issuer_key_hash,
            serial_number,
            status,
            this_update,
            next_update,
            archive_cutoff: None,
            is_limited: false,
        };
        if let Some(extensions) = parts.optional(context(1))? {
            single.extend(extensions)?;
        }
        Ok(single)
    }

    /// Returns whether it names a certificate of an issuer.
    pub(super) fn names<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Issuer<'_>,
    ) -> bool {
        self.serial_number == certificate.serial_number()
            && self
                .algorithm
                .and_then(|algorithm| issuer.digests(environment, algorithm))
                .is_some_and(|digests| {
                    digests.name == self.issuer_name_hash && digests.key == self.issuer_key_hash
                })
    }

    fn extend(&mut self, extensions: Element<'a>) -> Result<(), Error> {
        const WHAT: &str = "singleExtensions";

        for extension in extension::read(WHAT, extensions)? {
            match extension.oid {
                ID_PKIX_OCSP_ARCHIVE_CUTOFF => {
                    let time = Element::parse(WHAT, extension.value)?;
                    self.archive_cutoff = Some(seconds_since_epoch(WHAT, time)?);
                }
                ID_PKIX_OCSP_CRL => {}
                _ => self.is_limited |= extension.is_critical,
            }
        }
        Ok(())
    }
}

impl Status {
    fn parse(status: Element<'_>) -> Result<Self, Error> {
        const WHAT: &str = "CertStatus";

        match status.tag {
            tag if tag == primitive_context(0) => Ok(Self::Good),
            tag if tag == context(1) => {
                let time = status.children(WHAT)?.expect(Tag::GeneralizedTime)?;
                seconds_since_epoch(WHAT, time).map(Self::Revoked)
            }
            tag if tag == primitive_context(2) => Ok(Self::Unknown),
            _ => Err(Error::unexpected(WHAT)),
        }
    }
}
