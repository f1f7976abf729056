//! Periodic checks of a host, every minute: its counters, and expiring
//! certificates.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use parafa_store::Clock;
use parafa_trust::TimestampClient;

use crate::certificates::{DatedCertificate, Urgency};
use crate::history::History;
use crate::metrics::{note_certificates, text};

/// Interval of warnings about an expiring certificate.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A method of an eID provider, and the provider's host name.
pub(crate) type ProviderHost = (&'static str, String);

/// State of the periodic checks of one host.
pub(crate) struct Watch {
    clock: Arc<dyn Clock>,
    /// Configured certificates.
    certificates: Vec<DatedCertificate>,
    /// Client that knows the certificates in received time-stamps.
    timestamps: TimestampClient,
    /// Configured eID providers.
    pub(crate) providers: Vec<ProviderHost>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    history: History,
    told_of_certificates: Option<Timestamp>,
}

impl Watch {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        certificates: Vec<DatedCertificate>,
        timestamps: TimestampClient,
        providers: Vec<ProviderHost>,
    ) -> Self {
        Self {
            clock,
            certificates,
            timestamps,
            providers,
            seen: Mutex::default(),
        }
    }

    /// Adds the minute that ends now, and warns once a day of expiring
    /// certificates.
    pub(crate) fn look(&self) {
        let (now, certificates) = (self.now(), self.certificates());
        note_certificates(&certificates);
        let mut seen = self.seen();
        if let Ok(text) = text() {
            seen.history.take(&text);
        }
        let told = seen.told_of_certificates;
        // A clock that was set back says nothing about the last warning's age.
        if told.is_none_or(|told| now < told || now.duration_since(told) >= DAY) {
            seen.told_of_certificates = Some(now);
            tell_ends(&certificates, now);
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns all known certificates on which something depends.
    pub(crate) fn certificates(&self) -> Vec<DatedCertificate> {
        let stamping = self.timestamps.signers();
        let stamping = stamping
            .iter()
            .map(|signer| DatedCertificate::new("timestamps.urls", signer));
        self.certificates.iter().cloned().chain(stamping).collect()
    }

    /// Reads the counters of the last hour.
    pub(crate) fn of_last_hour<T>(&self, read: impl FnOnce(&History) -> T) -> T {
        read(&self.seen().history)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell_ends(certificates: &[DatedCertificate], now: Timestamp) {
    for certificate in certificates {
        let Some(warning) = certificate.warning(now) else {
            continue;
        };
        let (days, sentence) = (warning.days, warning.sentence);
        let what = certificate.what;
        match warning.urgency {
            Urgency::Early => tracing::info!(
                certificate.what = what,
                certificate.days = days,
                "{sentence}"
            ),
            Urgency::Due => tracing::warn!(
                certificate.what = what,
                certificate.days = days,
                "{sentence}"
            ),
            Urgency::Pressing => tracing::error!(
                certificate.what = what,
                certificate.days = days,
                "{sentence}"
            ),
        }
    }
}
