use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use jiff::{SignedDuration, Timestamp};

use super::fault::{SourceFault, ValidationDataError};
use crate::certificate::Certificate;
use crate::ocsp::CertificateStatus;

/// Maximum age of the data from which a responder answers: some use a copy that is renewed every
/// half minute.
const RESPONDER_DELAY: SignedDuration = SignedDuration::from_mins(1);

/// An issuer's statement on a certificate.
#[derive(Clone)]
pub(crate) struct IssuerStatement {
    /// An OCSP response or a revocation list.
    pub(super) der: Vec<u8>,
    /// Status of the certificate.
    pub(crate) status: CertificateStatus,
    /// Time at which the status was known to be correct.
    pub(super) this_update: Timestamp,
    /// Time of the statement.
    pub(super) told_at: Timestamp,
    /// Time of the next update.
    pub(super) next_update: Option<Timestamp>,
}

impl IssuerStatement {
    /// The data, if the issuer knows the certificate and they cover that time.
    pub(super) fn of_time(
        self,
        certificate: &Certificate,
        since: Option<Timestamp>,
    ) -> Result<Vec<u8>, ValidationDataError> {
        match since {
            _ if self.status == CertificateStatus::Unknown => Err(ValidationDataError::Unusable(
                SourceFault::UnknownToResponder,
            )),
            Some(since) if !self.tells_of(certificate, since) => Err(ValidationDataError::NotYet {
                since,
                next_update: self.next_update,
            }),
            _ => Ok(self.der),
        }
    }

    fn tells_of(&self, certificate: &Certificate, time: Timestamp) -> bool {
        let delay = self.this_update.duration_until(time);
        let is_later = !delay.is_positive() || self.told_at >= time && delay <= RESPONDER_DELAY;
        let was_newest = self.next_update.is_some_and(|next| next >= time);
        // Newer information would not undo a revocation.
        let is_revoked = matches!(self.status, CertificateStatus::Revoked { .. });
        is_revoked || is_later || !is_signers(certificate) && was_newest
    }
}

/// Returns true if it is a signer's, not an authority's or its responder's.
pub(super) fn is_signers(certificate: &Certificate) -> bool {
    let is_responders = certificate
        .extended_key_usage()
        .is_some_and(|purposes| purposes.contains(&ID_KP_OCSP_SIGNING));
    !certificate.is_authority() && !is_responders
}
