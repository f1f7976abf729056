//! Answers to a plugin that makes one of the attorney's signatures.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use parafa_answers::ValidationAnswers;
use parafa_attorney::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError};
use parafa_plugin_host::{
    Answerer, DigestAlgorithm, HostPayload, Need, NeedKind, Reply, SignatureAlgorithm,
};
use parafa_traces::TARGET;
use tracing::field::Empty;
use tracing::{Instrument, info_span};

/// Answers with the key's signatures; authorities answer everything else.
pub(crate) struct SigningAnswers<'a> {
    pub(crate) key: &'a dyn SigningKey,
    pub(crate) authorities: ValidationAnswers,
    failure: Mutex<Option<SigningKeyError>>,
}

impl<'a> SigningAnswers<'a> {
    pub(crate) fn new(key: &'a dyn SigningKey, authorities: ValidationAnswers) -> Self {
        Self {
            key,
            authorities,
            failure: Mutex::default(),
        }
    }

    /// The key's failure, if it was asked and did not sign.
    pub(crate) fn key_failure(&self) -> Option<SigningKeyError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    async fn signature(&self, need: &Need) -> Result<Vec<u8>, SigningKeyError> {
        let digest = need.payload.digest(algorithm_of(self.key).digest());
        let digest = digest.ok_or_else(|| {
            SigningKeyError::Refused(
                "the requested digest is not the one that the key signs".to_owned(),
            )
        })?;
        let span = info_span!(
            target: TARGET,
            "attorney's key",
            parafa.key.storage = match self.key.storage() {
                KeyStorage::Device => "device",
                KeyStorage::Memory => "memory",
            },
            "error.type" = Empty,
        );
        let signing = self.key.sign_digest(&digest).instrument(span.clone());
        let signed = signing.await;
        if let Err(error) = &signed {
            let name = match error {
                SigningKeyError::Unavailable(_) => "unavailable",
                SigningKeyError::Refused(_) => "refused",
            };
            span.record("error.type", name);
        }
        signed
    }
}

#[async_trait]
impl Answerer for SigningAnswers<'_> {
    async fn answer(&self, need: &Need) -> Reply {
        if need.kind != NeedKind::Signature {
            return self.authorities.answer(need).await;
        }
        match self.signature(need).await {
            Ok(value) => Reply::Answered(Ok(value)),
            Err(error) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(error);
                Reply::NotNow
            }
        }
    }
}

/// The key's algorithm, by the contract's names.
pub(crate) fn algorithm_of(key: &dyn SigningKey) -> SignatureAlgorithm {
    match key.algorithm() {
        KeyAlgorithm::Rs256 => SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256),
        KeyAlgorithm::Es256 => SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        KeyAlgorithm::Es384 => SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384),
    }
}
