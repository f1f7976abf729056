//! What a plugin needs of authorities to complete an archive.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use parafa_plugin_host::{Answerer, Need, NeedKind, Reply};
use parafa_trust::{Certificate, Issuer, ValidationData, ValidationDataError};

/// Most questions that one document may cause: whoever made it chose the
/// certificates in it.
const MAX_QUESTIONS: usize = 200;

/// The parameter with the issuer's certificate that a document holds.
const ISSUER: &str = "issuer";

const ANCHOR: &str = "anchor";
const UNAVAILABLE: &str = "unavailable";

/// Gets issuers' certificates and what they tell of others now.
pub(super) struct ValidationAnswers<'a> {
    data: &'a ValidationData,
    now: Timestamp,
    asked: AtomicUsize,
}

impl<'a> ValidationAnswers<'a> {
    pub(super) fn new(data: &'a ValidationData, now: Timestamp) -> Self {
        Self {
            data,
            now,
            asked: AtomicUsize::new(0),
        }
    }

    async fn issuer(&self, certificate: &Certificate) -> Reply {
        match self.data.issuer(certificate).await {
            Ok(Issuer::Anchor) => Reply::Answered(Err(ANCHOR.to_owned())),
            Ok(Issuer::Authority(issuer)) => Reply::Answered(Ok(issuer.der().to_vec())),
            Err(error) => missing(&error),
        }
    }

    async fn revocation(&self, certificate: &Certificate, need: &Need) -> Reply {
        let issuer = match issuer_at_hand(certificate, need) {
            Some(issuer) => issuer,
            None => match self.data.issuer(certificate).await {
                Ok(Issuer::Authority(issuer)) => *issuer,
                Ok(Issuer::Anchor) => return unavailable(),
                Err(error) => return missing(&error),
            },
        };
        let told = self.data.revocation(certificate, &issuer, self.now).await;
        match told {
            Ok(der) => Reply::Answered(Ok(der)),
            Err(error) => missing(&error),
        }
    }
}

#[async_trait]
impl Answerer for ValidationAnswers<'_> {
    async fn answer(&self, need: &Need) -> Reply {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS {
            return unavailable();
        }
        let Ok(certificate) = Certificate::from_der(&need.payload) else {
            return unavailable();
        };
        match need.kind {
            NeedKind::Certificate => self.issuer(&certificate).await,
            NeedKind::Revocation => self.revocation(&certificate, need).await,
            NeedKind::Signature | NeedKind::Timestamp => unavailable(),
        }
    }
}

/// The issuer that the plugin names, if it is the issuer.
fn issuer_at_hand(certificate: &Certificate, need: &Need) -> Option<Certificate> {
    let named = need.params.iter().find(|param| param.name == ISSUER)?;
    let der = STANDARD.decode(&named.value).ok()?;
    let issuer = Certificate::from_der(&der).ok()?;
    (issuer.is_authority() && certificate.is_issued_by(&issuer)).then_some(issuer)
}

/// Nothing, now or ever.
fn missing(error: &ValidationDataError) -> Reply {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "an archive lacks validation data"
    );
    match error {
        ValidationDataError::Unreachable(_) => Reply::NotNow,
        ValidationDataError::NoSource | ValidationDataError::Unusable(_) => unavailable(),
    }
}

fn unavailable() -> Reply {
    Reply::Answered(Err(UNAVAILABLE.to_owned()))
}
