//! Identity of the signer: the certificate, and whether it may sign here.

use parafa_domain::{AttemptFailure, Phase, SigningMethod};
use parafa_plugin_host::{DigestAlgorithm, SignRequest, SignatureAlgorithm, TargetLevel};
use parafa_trust::{Certificate, CertificateRejection, CheckedSigner, KeyKind};
use uuid::Uuid;

use super::super::opening::identity_lock;
use super::outcome::{Next, Running, StepOutcome};
use crate::ceremonies::Ceremonies;
use crate::error::CeremonyError;
use crate::records::{AttemptStep, ChosenCertificate, SignerPrivateRow};
use crate::seed;

impl Ceremonies {
    /// Checks the certificate before any digest is sent to the device.
    pub(super) async fn check_certificate(
        &self,
        running: &Running,
        person: Option<&str>,
        chosen: ChosenCertificate,
    ) -> Result<StepOutcome, CeremonyError> {
        let is_card = running.attempt.method == SigningMethod::Nfc;
        let Ok(certificate) = Certificate::from_der(&chosen.certificate.der) else {
            tracing::error!(attempt.id = %running.attempt.id, "the provider's certificate cannot be read");
            return Ok(StepOutcome::Failed(AttemptFailure::ProviderUnavailable));
        };
        let identifier = certificate
            .national_identifier()
            .map(parafa_trust::NationalIdentifier::as_str);
        let is_asked = || async {
            let is_person = person.is_none_or(|person| identifier == Some(person));
            Ok::<_, CeremonyError>(is_person && self.lock_admits(running, &certificate).await?)
        };
        // Anyone can send a certificate instead of a card's. Only for valid
        // ones is it revealed whether they match the identity lock.
        if !is_card && !is_asked().await? {
            return Ok(StepOutcome::Failed(AttemptFailure::IdentityMismatch));
        }
        let algorithm = signature_algorithm(certificate.key_kind());
        let has_keys = match is_card {
            true => true,
            false => {
                let provider = self.provider(running)?;
                algorithm.is_some_and(|(kind, _)| provider.has_keys(kind))
            }
        };
        let Some((_, signature_algorithm)) = algorithm.filter(|_| has_keys) else {
            tracing::error!(attempt.id = %running.attempt.id, "a certificate has a key that its provider's devices do not have");
            return Ok(StepOutcome::Failed(AttemptFailure::DeviceError));
        };
        let method = running.attempt.method.name();
        // The times in certificates and revocation data are given by others:
        // they are judged by this host's clock.
        let today = self.clock.now();
        let checked = match self
            .signer_check
            .check_signer(&certificate, method, today)
            .await
        {
            Ok(checked) => checked,
            Err(rejection) => {
                let error = &rejection as &dyn std::error::Error;
                tracing::info!(attempt.id = %running.attempt.id, error, "a signer's certificate is rejected");
                return Ok(StepOutcome::Failed(failure(&rejection)));
            }
        };
        let is_lithuanian = certificate
            .national_identifier()
            .is_some_and(|identifier| identifier.lithuanian_personal_code().is_some());
        if is_card && !is_lithuanian {
            tracing::info!(attempt.id = %running.attempt.id, "a card of another country is rejected");
            return Ok(StepOutcome::Failed(AttemptFailure::CertificateUntrusted));
        }
        if is_card && !is_asked().await? {
            return Ok(StepOutcome::Failed(AttemptFailure::IdentityMismatch));
        }
        let request = SignRequest {
            time: self.records.store.now().await?.as_second(),
            seed: seed()?,
            target_level: TargetLevel::BT,
            signer_chain: embedded_chain(&checked),
            signature_algorithm,
            reserve: SignRequest::RESERVE,
            params: Vec::new(),
        };
        let step = match running.attempt.awaits_turn {
            true => AttemptStep::AwaitTurn { chosen, request },
            false => AttemptStep::Prepare { chosen, request },
        };
        Ok(StepOutcome::Next(Box::new(Next {
            person: identifier.map(|identifier| self.prompts.prompted_person(identifier)),
            ..Next::new(Phase::Signing, step)
        })))
    }

    /// Returns whether the signer's identity lock, if there is one, admits the
    /// holder.
    async fn lock_admits(
        &self,
        running: &Running,
        certificate: &Certificate,
    ) -> Result<bool, CeremonyError> {
        let signer: Uuid = running.attempt.signer;
        let row = self.records.store.get::<SignerPrivateRow>(&signer).await?;
        let row = row.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
        let code = certificate
            .national_identifier()
            .and_then(|identifier| identifier.lithuanian_personal_code());
        let is_locked = running.party().is_none_or(|party| party.identity_locked);
        let code = code.map(|code| identity_lock(&self.records.master, signer, code));
        admits(is_locked, row.identity_lock.as_deref(), code.as_deref())
    }
}

/// Returns whether a lock, if there is one, admits the holder of the code with
/// this keyed digest. A lock without its digest admits no one.
fn admits(is_locked: bool, lock: Option<&str>, code: Option<&str>) -> Result<bool, CeremonyError> {
    match lock {
        Some(lock) => Ok(code == Some(lock)),
        None if is_locked => Err(CeremonyError::Inconsistent(
            "an identity lock has lost its digest",
        )),
        None => Ok(true),
    }
}

/// Returns the kind and the signature algorithm of a key.
fn signature_algorithm(key: &KeyKind) -> Option<(parafa_eid::KeyKind, SignatureAlgorithm)> {
    match key {
        KeyKind::Rsa { .. } => Some((
            parafa_eid::KeyKind::Rsa,
            SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256),
        )),
        KeyKind::Ec { .. } => Some((
            parafa_eid::KeyKind::Ec,
            SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        )),
        KeyKind::Other(_) => None,
    }
}

/// Returns the certificates to embed in the signature: all except a self-issued
/// root, which a validator must have itself.
fn embedded_chain(checked: &CheckedSigner) -> Vec<Vec<u8>> {
    let travels =
        |certificate: &&Certificate| certificate.subject_der() != certificate.issuer_der();
    checked
        .chain
        .iter()
        .filter(travels)
        .map(|certificate| certificate.der().to_vec())
        .collect()
}

fn failure(rejection: &CertificateRejection) -> AttemptFailure {
    match rejection {
        CertificateRejection::Expired { .. } | CertificateRejection::NotYetValid { .. } => {
            AttemptFailure::CertificateExpired
        }
        CertificateRejection::Untrusted { .. }
        | CertificateRejection::NoRevocationSource { .. } => AttemptFailure::CertificateUntrusted,
        CertificateRejection::Purpose { .. } => AttemptFailure::CertificatePurpose,
        CertificateRejection::NotQualified { .. } => AttemptFailure::NotQualified,
        CertificateRejection::Revoked { .. } | CertificateRejection::UnknownToIssuer => {
            AttemptFailure::CertificateRevoked
        }
        CertificateRejection::RevocationUnavailable { .. } => AttemptFailure::ProviderUnavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "50001029996";

    #[test]
    fn a_lock_admits_only_the_holder_of_its_code() {
        assert!(admits(true, Some(CODE), Some(CODE)).unwrap());
        assert!(!admits(true, Some(CODE), Some("39901012239")).unwrap());
        assert!(!admits(true, Some(CODE), None).unwrap());
    }

    #[test]
    fn a_lock_whose_code_is_gone_admits_nobody() {
        assert!(admits(true, None, Some(CODE)).is_err());
    }

    #[test]
    fn whoever_comes_is_admitted_where_there_is_no_lock() {
        assert!(admits(false, None, Some(CODE)).unwrap());
        assert!(admits(false, None, None).unwrap());
    }
}
