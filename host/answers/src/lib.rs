//! Answers plugins' needs for time-stamps, issuers' certificates and revocation data through
//! [`parafa_trust`].
//!
//! The driver of a signature or an archive uses [`ValidationAnswers`]. It limits the questions that
//! one document may cause, and reports what was postponed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use parafa_plugin_host::{
    Answerer, DigestAlgorithm, HostPayload, Need, NeedKind, Reply, need_params, reason,
};
use parafa_trust::{
    Certificate, FetchBudget, Issuer, TimestampClient, ValidationData, ValidationDataError,
};

/// Maximum number of questions for one document: its maker chose the certificates in it.
const MAX_QUESTIONS: usize = 200;
/// Limit on fetching the answers. Plugins take as many bytes.
const BUDGET: FetchBudget = FetchBudget {
    exchanges: 2 * MAX_QUESTIONS,
    bytes: 16 * 1024 * 1024,
};

/// Fetches issuers' certificates and current revocation data.
pub struct ValidationAnswers {
    data: ValidationData,
    timestamps: TimestampClient,
    now: Timestamp,
    asked: AtomicUsize,
    lacking: Mutex<Lacking>,
}

/// Questions without an answer.
#[derive(Default)]
struct Lacking {
    for_good: bool,
    postponed: Option<Postponed>,
    away: Option<String>,
}

/// Reason for asking again later.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Postponed {
    /// The data available are too old. Newer ones will exist, by this time if it is known.
    Until(Option<Timestamp>),
    /// A service cannot answer.
    Down,
}

impl ValidationAnswers {
    /// Answers for one signature or archive, as of `now`.
    #[must_use]
    pub fn new(data: &ValidationData, timestamps: &TimestampClient, now: Timestamp) -> Self {
        Self {
            data: data.within(BUDGET),
            timestamps: timestamps.clone(),
            now,
            asked: AtomicUsize::new(0),
            lacking: Mutex::default(),
        }
    }

    /// Reason for postponing, if there is one: a service that is down, otherwise the latest time of
    /// the data awaited.
    #[must_use]
    pub fn postponed(&self) -> Option<Postponed> {
        self.lacking().postponed
    }

    /// Question to the first service that could not answer. It names a certificate only by its
    /// authority's name or its serial number.
    #[must_use]
    pub fn away(&self) -> Option<String> {
        self.lacking().away.clone()
    }

    /// Returns true if something was asked for that does not exist and never will.
    #[must_use]
    pub fn lacks_for_good(&self) -> bool {
        self.lacking().for_good
    }

    fn lacking(&self) -> MutexGuard<'_, Lacking> {
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn issuer(&self, certificate: &Certificate) -> Reply {
        match self.data.issuer(certificate).await {
            Ok(Issuer::Anchor) => Reply::Answered(Err(reason::ANCHOR.to_owned())),
            Ok(Issuer::Authority(issuer)) => Reply::Answered(Ok(issuer.der().to_vec())),
            Err(error) => self.missing(&error, || format!("the issuer of {}", name(certificate))),
        }
    }

    async fn revocation(&self, certificate: &Certificate, need: &Need) -> Reply {
        let issuer = match issuer_at_hand(certificate, need) {
            Some(issuer) => issuer,
            None => match self.data.issuer(certificate).await {
                Ok(Issuer::Authority(issuer)) => *issuer,
                Ok(Issuer::Anchor) => return without(reason::UNAVAILABLE),
                Err(error) => {
                    return self.missing(&error, || format!("the issuer of {}", name(certificate)));
                }
            },
        };
        let since = time_of(need);
        let told = self
            .data
            .revocation(certificate, &issuer, since, self.now)
            .await;
        match told {
            Ok(der) => Reply::Answered(Ok(der)),
            Err(error) => self.missing(&error, || {
                let issuer = issuer.subject().common_name().unwrap_or("its issuer");
                format!(
                    "the revocation status of {} from {issuer}",
                    name(certificate)
                )
            }),
        }
    }

    async fn timestamp(&self, need: &Need) -> Reply {
        const SHA_256: DigestAlgorithm = DigestAlgorithm::Sha256;

        let imprint = need.payload.digest(SHA_256);
        let imprint = imprint.and_then(|imprint| imprint.try_into().ok());
        let Some(imprint) = imprint.filter(|_| need.digest_algorithm == Some(SHA_256)) else {
            return without(reason::UNAVAILABLE);
        };
        match self.timestamps.timestamp(&imprint, self.now).await {
            Ok(token) => Reply::Answered(Ok(token.der)),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a time-stamp is missing"
                );
                self.down("a time-stamp".to_owned())
            }
        }
    }

    /// Records and answers that the data are missing, for now or for good; `wanted` describes them
    /// in the log.
    fn missing(&self, error: &ValidationDataError, wanted: impl FnOnce() -> String) -> Reply {
        tracing::warn!(
            error = error as &dyn std::error::Error,
            "validation data are missing"
        );
        match error {
            ValidationDataError::Unreachable(_) => self.down(wanted()),
            ValidationDataError::NotYet { next_update, .. } => {
                self.not_now(Postponed::Until(*next_update))
            }
            ValidationDataError::Untrusted => without(reason::UNTRUSTED),
            ValidationDataError::NoSource | ValidationDataError::Unusable(_) => {
                without(reason::UNAVAILABLE)
            }
        }
    }

    fn down(&self, wanted: String) -> Reply {
        self.lacking().away.get_or_insert(wanted);
        self.not_now(Postponed::Down)
    }

    fn not_now(&self, why: Postponed) -> Reply {
        let postponed = &mut self.lacking().postponed;
        *postponed = Some(postponed.map_or(why, |before| before.and(why)));
        Reply::NotNow
    }

    async fn asked(&self, need: &Need) -> Reply {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS {
            return without(reason::UNAVAILABLE);
        }
        let certificate = || Certificate::from_der(need.payload.as_bytes()?).ok();
        match (need.kind, certificate()) {
            (NeedKind::Certificate, Some(certificate)) => self.issuer(&certificate).await,
            (NeedKind::Revocation, Some(certificate)) => self.revocation(&certificate, need).await,
            (NeedKind::Timestamp, _) => self.timestamp(need).await,
            _ => without(reason::UNAVAILABLE),
        }
    }
}

impl Postponed {
    /// The later of two reasons: a service that is down outweighs a time.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Until(one), Self::Until(other)) => Self::Until(one.max(other)),
            (Self::Down, _) | (_, Self::Down) => Self::Down,
        }
    }
}

#[async_trait]
impl Answerer for ValidationAnswers {
    async fn answer(&self, need: &Need) -> Reply {
        let reply = self.asked(need).await;
        let is_lack =
            matches!(&reply, Reply::Answered(Err(reason)) if reason.as_str() != reason::ANCHOR);
        self.lacking().for_good |= is_lack;
        reply
    }
}

/// Declines every need for the moment, so that a plugin reports what is missing for good.
pub struct NothingNow;

impl NothingNow {
    /// The reason in place of an answer.
    pub const REASON: &str = "no service can be asked at the moment";
}

#[async_trait]
impl Answerer for NothingNow {
    async fn answer(&self, _: &Need) -> Reply {
        without(Self::REASON)
    }
}

/// Name of a certificate in logs. A person's is named by its serial number alone.
fn name(certificate: &Certificate) -> String {
    let authority = certificate.subject().common_name();
    match authority.filter(|_| certificate.is_authority()) {
        Some(authority) => format!("the certificate of {authority}"),
        None => {
            let number: String = certificate
                .serial_number()
                .iter()
                .map(|octet| format!("{octet:02x}"))
                .collect();
            format!("the certificate number {number}")
        }
    }
}

/// The issuer that the plugin names, if it is the issuer.
fn issuer_at_hand(certificate: &Certificate, need: &Need) -> Option<Certificate> {
    let der = STANDARD
        .decode(parameter(need, need_params::ISSUER)?)
        .ok()?;
    let issuer = Certificate::from_der(&der).ok()?;
    (issuer.is_authority() && certificate.is_issued_by(&issuer)).then_some(issuer)
}

fn time_of(need: &Need) -> Option<Timestamp> {
    let seconds = parameter(need, need_params::TIME)?.parse().ok()?;
    Timestamp::from_second(seconds).ok()
}

fn parameter<'n>(need: &'n Need, name: &str) -> Option<&'n str> {
    let mut params = need.params.iter();
    let found = params.find(|param| param.name == name)?;
    Some(&found.value)
}

fn without(why: &str) -> Reply {
    Reply::Answered(Err(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_down_comes_before_what_is_yet_to_come_and_that_is_the_last_of_it() {
        let [soon, late] = [1_000, 2_000].map(|second| Timestamp::from_second(second).ok());
        let until = Postponed::Until;

        assert_eq!(until(soon).and(until(late)), until(late));
        assert_eq!(until(late).and(until(None)), until(late));
        assert_eq!(until(soon).and(Postponed::Down), Postponed::Down);
        assert_eq!(Postponed::Down.and(until(soon)), Postponed::Down);
    }
}
