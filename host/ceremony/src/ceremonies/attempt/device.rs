//! Requests to the signer's device through its provider.

use std::time::Instant;

use jiff::SignedDuration;
use parafa_domain::{AttemptFailure, Language, Phase};
use parafa_eid::{
    AskedFor, EidError, EidProvider, PersonToAsk, ProviderSession, RequestKey,
    RequestedCertificate, SessionState, SignatureRequest, SignerCertificate, SignerOutcome,
    StartedSignature,
};
use parafa_plugin_host::{DigestAlgorithm, HostPayload, verify_with_certificate};
use parafa_store::clock::shifted;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::outcome::{Next, Running, StepOutcome};
use crate::ceremonies::Ceremonies;
use crate::error::CeremonyError;
use crate::records::{AttemptRow, AttemptStep, ChosenCertificate, PreparedSignature};
use parafa_platform::polling::{self, POLL, Poll};

/// Time limit for the app's return after the device has signed.
pub(super) const RETURN_WITHIN: SignedDuration = SignedDuration::from_mins(2);

impl Ceremonies {
    /// Requests the person's certificate from the provider. The phone rings for
    /// it as for a signature, and must not ring twice either.
    pub(super) async fn request_certificate(
        &self,
        running: &Running,
        person: String,
        phone_number: Option<&str>,
    ) -> Result<StepOutcome, CeremonyError> {
        let provider = self.provider(running)?;
        let window = provider.repeats_within(AskedFor::Certificate);
        let now = self.records.store.now().await?;
        if running.may_ask_twice(running.attempt.started_at, now, window) {
            return Ok(StepOutcome::Failed(AttemptFailure::Timeout));
        }
        let key = request_key(running.attempt.id, "certificate");
        let asked = PersonToAsk {
            identifier: &person,
            phone_number,
        };
        match provider.request_certificate(asked, &key).await {
            Ok(RequestedCertificate::Asked(session)) => Ok(Next::step(
                Phase::Certificate,
                AttemptStep::AwaitCertificate { person, session },
            )),
            Ok(RequestedCertificate::Known(certificate)) => Ok(chosen(person, certificate)),
            Err(error) => Ok(StepOutcome::Unasked(failure(running, provider, &error))),
        }
    }

    /// Waits for the provider's answer.
    pub(super) async fn await_certificate(
        &self,
        running: &Running,
        person: String,
        session: &ProviderSession,
    ) -> Result<StepOutcome, CeremonyError> {
        let asked = Instant::now();
        match self
            .provider(running)?
            .poll_certificate(session, POLL)
            .await
        {
            Ok(SessionState::Running) => Ok(StepOutcome::Waiting(Poll::since(asked))),
            Ok(SessionState::Complete(certificate)) => Ok(chosen(person, certificate)),
            Err(error) => self.poll_failed(running, &error).await,
        }
    }

    /// Requests the plugin's signature from the device.
    pub(super) async fn request_signature(
        &self,
        running: &Running,
        chosen: &ChosenCertificate,
        prepared: &PreparedSignature,
    ) -> Result<Result<StartedSignature, AttemptFailure>, CeremonyError> {
        let digest = prepared.need.payload.digest(DigestAlgorithm::Sha256);
        let digest = digest.and_then(|digest| digest.try_into().ok());
        let digest = digest.ok_or(CeremonyError::Inconsistent(
            "what is to be signed has no SHA-256 digest",
        ))?;
        let request = SignatureRequest {
            certificate: &chosen.certificate,
            choice: chosen.choice.as_ref(),
            sha256: digest,
            prompt: device_prompt(running.language()),
            language: language_code(running.language()),
            key: request_key(running.attempt.id, "signature"),
        };
        let provider = self.provider(running)?;
        let asked = provider.request_signature(request).await;
        Ok(asked.map_err(|error| failure(running, provider, &error)))
    }

    /// Waits for the device, and verifies its signature before it is used.
    pub(super) async fn await_signature(
        &self,
        running: &Running,
        session: &ProviderSession,
        prepared: PreparedSignature,
        must_return: bool,
    ) -> Result<StepOutcome, CeremonyError> {
        let asked = Instant::now();
        let value = match self.provider(running)?.poll_signature(session, POLL).await {
            Ok(SessionState::Running) => return Ok(StepOutcome::Waiting(Poll::since(asked))),
            Ok(SessionState::Complete(value)) => value,
            Err(error) => return self.poll_failed(running, &error).await,
        };
        match verified(&prepared, &value)? {
            true if must_return => Ok(Next::step(
                Phase::WaitingForUser,
                AttemptStep::AwaitReturn {
                    prepared,
                    value,
                    until: shifted(self.records.store.now().await?, RETURN_WITHIN),
                },
            )),
            true => Ok(Next::step(
                Phase::Completing,
                AttemptStep::Finish { prepared, value },
            )),
            false => {
                tracing::error!(attempt.id = %running.attempt.id, "the device's signature does not verify");
                Ok(StepOutcome::Failed(AttemptFailure::BadSignature))
            }
        }
    }

    /// Returns the provider of the attempt's method.
    pub(super) fn provider(&self, running: &Running) -> Result<&dyn EidProvider, CeremonyError> {
        self.provider_of(&running.attempt)
    }

    pub(crate) fn provider_of(
        &self,
        attempt: &AttemptRow,
    ) -> Result<&dyn EidProvider, CeremonyError> {
        let provider = self.providers.get(&attempt.method);
        provider
            .map(|provider| &**provider)
            .ok_or(CeremonyError::MethodNotSetUp(attempt.method))
    }

    pub(super) async fn poll_failed(
        &self,
        running: &Running,
        error: &EidError,
    ) -> Result<StepOutcome, CeremonyError> {
        if let Some(pause) = polling::pause(running.attempt.tries).filter(|_| error.is_transient) {
            return Ok(StepOutcome::Again(pause));
        }
        let failure = failure(running, self.provider(running)?, error);
        Ok(match error.is_undelivered {
            true => StepOutcome::Unasked(failure),
            false => StepOutcome::Failed(failure),
        })
    }
}

/// Returns the same key for the same attempt and purpose. A step repeated soon
/// after a crash therefore finds the provider's session instead of prompting
/// twice.
pub(super) fn request_key(attempt: Uuid, purpose: &str) -> RequestKey {
    let digest = Sha256::new()
        .chain_update(attempt.as_bytes())
        .chain_update(purpose)
        .finalize();
    RequestKey(digest.into())
}

pub(super) fn failure(
    running: &Running,
    provider: &dyn EidProvider,
    error: &EidError,
) -> AttemptFailure {
    let outcome = error.outcome;
    if outcome == SignerOutcome::ProviderUnavailable {
        tracing::error!(
            attempt.id = %running.attempt.id,
            provider = running.attempt.method.name(),
            host = provider.host(),
            status = error.status,
            remedy = error.remedy(),
            error = error as &dyn std::error::Error,
            "a provider misbehaves"
        );
    } else {
        tracing::info!(attempt.id = %running.attempt.id, error = error as &dyn std::error::Error, "a provider's session ended without a signature");
    }
    match outcome {
        SignerOutcome::UserRefused => AttemptFailure::UserRefused,
        SignerOutcome::Timeout => AttemptFailure::Timeout,
        SignerOutcome::WrongCode => AttemptFailure::WrongCode,
        SignerOutcome::NoAccount => AttemptFailure::NoAccount,
        SignerOutcome::NotQualified => AttemptFailure::NotQualified,
        SignerOutcome::DeviceError => AttemptFailure::DeviceError,
        SignerOutcome::ProviderUnavailable => AttemptFailure::ProviderUnavailable,
    }
}

/// Returns whether a value is a valid signature of what was prepared, by the
/// certificate that it was prepared for.
pub(crate) fn verified(prepared: &PreparedSignature, value: &[u8]) -> Result<bool, CeremonyError> {
    let certificate = prepared.request.signer_chain.first();
    let certificate = certificate.ok_or(CeremonyError::Inconsistent(
        "a signing request has no certificate",
    ))?;
    let algorithm = prepared.request.signature_algorithm;
    let verified = verify_with_certificate(certificate, algorithm, &prepared.need.payload, value);
    Ok(verified.unwrap_or(false))
}

/// Returns the step that checks the certificate of an identified person.
fn chosen(person: String, certificate: SignerCertificate) -> StepOutcome {
    let step = AttemptStep::CheckCertificate {
        person: Some(person),
        chosen: ChosenCertificate {
            certificate,
            choice: None,
        },
    };
    Next::step(Phase::Certificate, step)
}

/// Returns a language's code in ISO 639-2.
pub(super) fn language_code(language: Language) -> &'static str {
    match language {
        Language::En => "eng",
        Language::Lt => "lit",
    }
}

/// Returns the text on the signer's device, at most 50 characters.
fn device_prompt(language: Language) -> &'static str {
    match language {
        Language::En => "Sign the document shown on the page?",
        Language::Lt => "Pasirašyti puslapyje rodomą dokumentą?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_shows_fits_its_screen() {
        for language in [Language::Lt, Language::En] {
            assert!(device_prompt(language).chars().count() <= 50);
        }
    }
}
