use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::issuer_statement::IssuerStatement;
use crate::certificate::Certificate;
use crate::ocsp::CertificateStatus;

/// Time for which a statement is reused.
const COUNTS_FOR: SignedDuration = SignedDuration::from_mins(10);
/// The most statements that are remembered.
const MOST: usize = 64;

/// Cache of the last statements on authorities' certificates, which hardly ever change.
#[derive(Default)]
pub(super) struct KnownStatements(Mutex<HashMap<Subject, Known>>);

/// Digests of a certificate and of its issuer's.
type Subject = [[u8; 32]; 2];

struct Known {
    asked_at: Timestamp,
    told: IssuerStatement,
}

impl Known {
    /// Returns true while the statement need not be asked for again, and no newer information is
    /// due.
    fn counts(&self, now: Timestamp) -> bool {
        let age = self.asked_at.duration_until(now);
        let is_current = self.told.next_update.is_some_and(|next| now < next);
        is_current && !age.is_negative() && age < COUNTS_FOR
    }
}

impl KnownStatements {
    /// The last statement on a certificate, if it still counts.
    pub(super) fn of(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: Timestamp,
    ) -> Option<IssuerStatement> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(&subject(certificate, issuer));
        let known = known.filter(|known| known.counts(now));
        known.map(|known| known.told.clone())
    }

    /// Stores the statement of `now` on a certificate that is not revoked.
    pub(super) fn note(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: Timestamp,
        told: &IssuerStatement,
    ) {
        if told.status != CertificateStatus::Good {
            return;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, known| known.counts(now));
        if all.len() < MOST {
            let known = Known {
                asked_at: now,
                told: told.clone(),
            };
            all.insert(subject(certificate, issuer), known);
        }
    }
}

fn subject(certificate: &Certificate, issuer: &Certificate) -> Subject {
    [*certificate.sha256(), *issuer.sha256()]
}
