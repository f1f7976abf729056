//! What plugins need of authorities, answered through [`parafa_trust`]:
//! time-stamps, certificates of issuers, revocation data.
//!
//! Whoever drives a signature or an archive passes [`ValidationAnswers`] on,
//! which asks no more than a document may cause, and tells what was put off.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use parafa_plugin_host::{Answerer, DigestAlgorithm, Need, NeedKind, Reply, need_params, reason};
use parafa_trust::{
    Certificate, FetchBudget, Issuer, TimestampClient, ValidationData, ValidationDataError,
};

/// Most questions that one document may cause: whoever made it chose the
/// certificates in it.
const MAX_QUESTIONS: usize = 200;
/// What may be fetched to answer them. Plugins take as many bytes.
const BUDGET: FetchBudget = FetchBudget {
    exchanges: 2 * MAX_QUESTIONS,
    bytes: 16 * 1024 * 1024,
};

/// Gets issuers' certificates and what they tell of others now.
pub struct ValidationAnswers {
    data: ValidationData,
    timestamps: TimestampClient,
    now: Timestamp,
    asked: AtomicUsize,
    postponed: Mutex<Option<Postponed>>,
}

/// Why something is to be asked again later.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Postponed {
    /// What there is tells of too early a time; there will be newer data, by
    /// then if that is known.
    Until(Option<Timestamp>),
    /// A service cannot answer.
    Down,
}

impl ValidationAnswers {
    /// Answers as of `now` for one signature or archive.
    #[must_use]
    pub fn new(data: &ValidationData, timestamps: &TimestampClient, now: Timestamp) -> Self {
        Self {
            data: data.within(BUDGET),
            timestamps: timestamps.clone(),
            now,
            asked: AtomicUsize::new(0),
            postponed: Mutex::new(None),
        }
    }

    /// Why something was put off, if anything was: a service that is down, or
    /// else the data that are the last to come.
    #[must_use]
    pub fn postponed(&self) -> Option<Postponed> {
        *self
            .postponed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn issuer(&self, certificate: &Certificate) -> Reply {
        match self.data.issuer(certificate).await {
            Ok(Issuer::Anchor) => Reply::Answered(Err(reason::ANCHOR.to_owned())),
            Ok(Issuer::Authority(issuer)) => Reply::Answered(Ok(issuer.der().to_vec())),
            Err(error) => self.missing(&error),
        }
    }

    async fn revocation(&self, certificate: &Certificate, need: &Need) -> Reply {
        let issuer = match issuer_at_hand(certificate, need) {
            Some(issuer) => issuer,
            None => match self.data.issuer(certificate).await {
                Ok(Issuer::Authority(issuer)) => *issuer,
                Ok(Issuer::Anchor) => return without(reason::UNAVAILABLE),
                Err(error) => return self.missing(&error),
            },
        };
        let since = time_of(need);
        let told = self
            .data
            .revocation(certificate, &issuer, since, self.now)
            .await;
        match told {
            Ok(der) => Reply::Answered(Ok(der)),
            Err(error) => self.missing(&error),
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
                    "a time-stamp is lacking"
                );
                self.not_now(Postponed::Down)
            }
        }
    }

    /// Nothing, now or ever.
    fn missing(&self, error: &ValidationDataError) -> Reply {
        tracing::warn!(
            error = error as &dyn std::error::Error,
            "validation data are lacking"
        );
        match error {
            ValidationDataError::Unreachable(_) => self.not_now(Postponed::Down),
            ValidationDataError::NotYet { next_update, .. } => {
                self.not_now(Postponed::Until(*next_update))
            }
            ValidationDataError::Untrusted => without(reason::UNTRUSTED),
            ValidationDataError::NoSource | ValidationDataError::Unusable(_) => {
                without(reason::UNAVAILABLE)
            }
        }
    }

    fn not_now(&self, why: Postponed) -> Reply {
        let mut postponed = self
            .postponed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *postponed = Some(postponed.map_or(why, |before| before.and(why)));
        Reply::NotNow
    }
}

impl Postponed {
    /// What both have to be waited for comes to.
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
