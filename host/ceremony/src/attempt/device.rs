//! What the signer's device is asked, through its provider.

use std::time::Instant;

use parafa_domain::{AttemptFailure, Language, Phase};
use parafa_eid::smart_id::{
    CertificateSession, DigestToSign, DisplayText, Interaction, Interactions, Nonce,
    SemanticsIdentifier, SessionState, SignatureAlgorithm, SignatureSession, SignerOutcome,
    SmartIdClient, SmartIdError,
};
use parafa_plugin_host::verify_with_certificate;
use parafa_store::clock::shifted;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Attempts;
use super::device_link::RETURN_WITHIN;
use super::outcome::{Next, Running, StepOutcome};
use super::polling::{self, POLL, Poll};
use crate::error::CeremonyError;
use crate::records::{AttemptStep, ChosenCertificate, PreparedSignature};

/// What the device was asked for.
pub(super) struct Asked {
    pub(super) session: SignatureSession,
    /// None when the app is open already, and shows no code.
    pub(super) verification_code: Option<String>,
}

impl Attempts {
    /// Asks the provider for the person's certificate. The phone rings for it
    /// as it does for a signature, and is not to ring twice either.
    pub(super) async fn request_certificate(
        &self,
        running: &Running,
        person: String,
    ) -> Result<StepOutcome, CeremonyError> {
        if running.may_ask_twice(running.attempt.started_at, self.records.store.now().await?) {
            return Ok(StepOutcome::Failed(AttemptFailure::Timeout));
        }
        let semantics = person.parse::<SemanticsIdentifier>();
        let semantics = semantics
            .map_err(|_| CeremonyError::Inconsistent("a stored person is no identifier"))?;
        let nonce = nonce(running.attempt.id, "certificate");
        match self
            .smart_id()?
            .start_certificate_choice(&semantics, &nonce)
            .await
        {
            Ok(session) => Ok(Next::step(
                Phase::Certificate,
                AttemptStep::AwaitCertificate { person, session },
            )),
            Err(error) => Ok(StepOutcome::Failed(failure(running, &error))),
        }
    }

    /// Waits for the provider to give it.
    pub(super) async fn await_certificate(
        &self,
        running: &Running,
        person: String,
        session: &CertificateSession,
    ) -> Result<StepOutcome, CeremonyError> {
        let asked = Instant::now();
        match self.smart_id()?.poll_certificate(session, POLL).await {
            Ok(SessionState::Running) => Ok(StepOutcome::Waiting(Poll::since(asked))),
            Ok(SessionState::Complete(certificate)) => Ok(Next::step(
                Phase::Certificate,
                AttemptStep::CheckCertificate {
                    person: Some(person),
                    chosen: ChosenCertificate {
                        certificate,
                        choice: None,
                    },
                },
            )),
            Err(error) => self.poll_failed(running, &error).await,
        }
    }

    /// Asks the device for the signature that the plugin wants.
    pub(super) async fn request_signature(
        &self,
        running: &Running,
        chosen: &ChosenCertificate,
        prepared: &PreparedSignature,
    ) -> Result<Result<Asked, AttemptFailure>, CeremonyError> {
        let digest = Sha256::digest(&prepared.need.payload).to_vec();
        let digest = DigestToSign::new(SignatureAlgorithm::Sha256WithRsaEncryption, digest);
        let digest = digest
            .map_err(|_| CeremonyError::Inconsistent("a SHA-256 digest is not 32 bytes long"))?;
        let interactions = interactions(running.language())?;
        let nonce = nonce(running.attempt.id, "signature");
        let (client, certificate) = (self.smart_id()?, &chosen.certificate);
        let asked = match &chosen.choice {
            None => client
                .start_signature(certificate, &digest, &interactions, &nonce)
                .await
                .map(|started| Asked {
                    session: started.session,
                    verification_code: Some(started.verification_code.to_string()),
                }),
            Some(choice) => client
                .start_linked_signature(choice, certificate, &digest, &interactions, &nonce)
                .await
                .map(|session| Asked {
                    session,
                    verification_code: None,
                }),
        };
        Ok(asked.map_err(|error| failure(running, &error)))
    }

    /// Waits for the device, and checks what it made before anything is built
    /// on it.
    pub(super) async fn await_signature(
        &self,
        running: &Running,
        session: &SignatureSession,
        prepared: PreparedSignature,
        must_return: bool,
    ) -> Result<StepOutcome, CeremonyError> {
        let asked = Instant::now();
        let value = match self.smart_id()?.poll_signature(session, POLL).await {
            Ok(SessionState::Running) => return Ok(StepOutcome::Waiting(Poll::since(asked))),
            Ok(SessionState::Complete(signature)) => signature.value,
            Err(error) => return self.poll_failed(running, &error).await,
        };
        let certificate = prepared.request.signer_chain.first();
        let certificate = certificate.ok_or(CeremonyError::Inconsistent(
            "a signing request has no certificate",
        ))?;
        let algorithm = prepared.request.signature_algorithm;
        match verify_with_certificate(certificate, algorithm, &prepared.need.payload, &value) {
            Ok(true) if must_return => Ok(Next::step(
                Phase::WaitingForUser,
                AttemptStep::AwaitReturn {
                    prepared,
                    value,
                    until: shifted(self.records.store.now().await?, RETURN_WITHIN),
                },
            )),
            Ok(true) => Ok(Next::step(
                Phase::Completing,
                AttemptStep::Finish { prepared, value },
            )),
            Ok(false) | Err(_) => {
                tracing::error!(attempt.id = %running.attempt.id, "the device's signature does not verify");
                Ok(StepOutcome::Failed(AttemptFailure::BadSignature))
            }
        }
    }

    pub(super) fn smart_id(&self) -> Result<&SmartIdClient, CeremonyError> {
        self.smart_id
            .as_ref()
            .ok_or(CeremonyError::NotSetUp("Smart-ID is not set up here"))
    }

    pub(super) async fn poll_failed(
        &self,
        running: &Running,
        error: &SmartIdError,
    ) -> Result<StepOutcome, CeremonyError> {
        Ok(match polling::pause(running.attempt.tries) {
            Some(pause) if error.is_transient() => StepOutcome::Again(pause),
            _ => StepOutcome::Failed(failure(running, error)),
        })
    }
}

/// The same for the same attempt and purpose, so that a step that is repeated
/// soon after a crash finds the provider's session again instead of asking
/// twice.
pub(super) fn nonce(attempt: Uuid, purpose: &str) -> Nonce {
    let digest: [u8; 32] = Sha256::new()
        .chain_update(attempt.as_bytes())
        .chain_update(purpose)
        .finalize()
        .into();
    let mut bytes = [0; 15];
    bytes.copy_from_slice(&digest[..15]);
    Nonce::from_bytes(bytes)
}

fn interactions(language: Language) -> Result<Interactions, CeremonyError> {
    let unusable = "the text for the device is too long";
    let text = DisplayText::new(device_prompt(language))
        .map_err(|_| CeremonyError::Inconsistent(unusable))?;
    Interactions::new(&[Interaction::DisplayTextAndPin(text)])
        .map_err(|_| CeremonyError::Inconsistent(unusable))
}

pub(super) fn failure(running: &Running, error: &SmartIdError) -> AttemptFailure {
    let outcome = error.signer_outcome();
    if outcome == SignerOutcome::ProviderUnavailable {
        let error: &dyn std::error::Error = error;
        tracing::error!(attempt.id = %running.attempt.id, error, "Smart-ID does not work as it should");
    } else {
        tracing::info!(attempt.id = %running.attempt.id, %error, "a Smart-ID session ended without a signature");
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

/// What the signer's device shows, at most 60 characters.
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
            assert!(device_prompt(language).chars().count() <= 60);
        }
    }
}
