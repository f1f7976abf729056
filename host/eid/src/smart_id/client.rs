use std::sync::Arc;
use std::time::Duration;

use parafa_eid_protocols::smart_id::RAW_DIGEST_SIGNATURE;
use parafa_http_port::HttpPort;
use sha2::{Digest, Sha256};

use super::wire::{
    self, CertificateRequest, CodeAnswer, DeviceLinkAnswer, SessionAnswer, SignatureAnswer,
    SignatureRequest, StatusAnswer,
};
use super::{
    CallbackUrl, CertificateSession, DeviceLinkSession, DeviceSignature, DigestToSign,
    DocumentNumber, FlowType, Interactions, InvalidAnswer, LinkKind, Nonce, NotifiedSignature,
    SemanticsIdentifier, SessionId, SessionState, SignatureSession, SigningCertificate,
    SmartIdConfig, SmartIdError, VerificationCode, end_result, exchange,
};
use crate::service::{LONGEST_CERTIFICATE, LONGEST_SIGNATURE, decode};

/// Range of the wait accepted by the service.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// A relying party of the service.
#[derive(Clone)]
pub struct SmartIdClient {
    pub(super) config: Arc<SmartIdConfig>,
    pub(super) port: Arc<dyn HttpPort>,
}

impl SmartIdClient {
    /// Speaks through `port`, which has to reach the configured address.
    pub fn new(config: SmartIdConfig, port: Arc<dyn HttpPort>) -> Self {
        Self {
            config: Arc::new(config),
            port,
        }
    }

    /// Requests a person's signing certificate, by notification.
    ///
    /// # Errors
    /// [`SmartIdError`]; [`SmartIdError::AccountNotFound`] without an account.
    pub async fn start_certificate_choice(
        &self,
        signer: &SemanticsIdentifier,
        nonce: &Nonce,
    ) -> Result<CertificateSession, SmartIdError> {
        let path = format!(
            "signature/certificate-choice/notification/etsi/{}",
            signer.expose()
        );
        let request = CertificateRequest::new(&self.config, nonce, None);
        let answer: SessionAnswer =
            exchange::post(&*self.port, &self.config, &path, &request).await?;
        Ok(CertificateSession {
            id: answer.session_id,
            flows: vec![FlowType::Notification],
        })
    }

    /// Opens a certificate choice for anybody who follows its link. With a callback the link also
    /// works on the same device.
    ///
    /// # Errors
    /// [`SmartIdError`].
    pub async fn start_certificate_choice_by_device_link(
        &self,
        nonce: &Nonce,
        callback: Option<CallbackUrl>,
    ) -> Result<DeviceLinkSession, SmartIdError> {
        let path = "signature/certificate-choice/device-link/anonymous";
        let request = CertificateRequest::new(
            &self.config,
            nonce,
            callback.as_ref().map(CallbackUrl::as_str),
        );
        let answer: DeviceLinkAnswer =
            exchange::post(&*self.port, &self.config, path, &request).await?;
        Ok(DeviceLinkSession::new(answer, callback, None)?)
    }

    /// The link of a session; a QR code needs a new one every second.
    #[must_use]
    pub fn device_link(
        &self,
        session: &DeviceLinkSession,
        kind: LinkKind,
        language: &str,
    ) -> String {
        session.link(kind, language, &self.config)
    }

    /// Asks the owner of a certificate, by notification, to sign a digest.
    ///
    /// # Errors
    /// [`SmartIdError`].
    pub async fn start_signature(
        &self,
        certificate: &SigningCertificate,
        digest: &DigestToSign,
        interactions: &Interactions,
        nonce: &Nonce,
    ) -> Result<NotifiedSignature, SmartIdError> {
        let path = format!(
            "signature/notification/document/{}",
            certificate.document_number.expose()
        );
        let request = SignatureRequest::new(&self.config, digest, None, interactions, nonce);
        let answer: SignatureAnswer =
            exchange::post(&*self.port, &self.config, &path, &request).await?;
        let verification_code = verification_code(&answer.vc)?;
        let flows = vec![FlowType::Notification];
        let session = signature_session(answer.session_id, certificate, digest, flows);
        Ok(NotifiedSignature {
            session,
            verification_code,
        })
    }

    /// Continues from a certificate choice by device link, which must just have completed, to the
    /// signature. The app is still open, and there is no code to compare.
    ///
    /// # Errors
    /// [`SmartIdError`]; [`SmartIdError::CodeChoiceInLinkedSession`] for interactions that need a
    /// notification.
    pub async fn start_linked_signature(
        &self,
        choice: &CertificateSession,
        certificate: &SigningCertificate,
        digest: &DigestToSign,
        interactions: &Interactions,
        nonce: &Nonce,
    ) -> Result<SignatureSession, SmartIdError> {
        if interactions.has_code_choice() {
            return Err(SmartIdError::CodeChoiceInLinkedSession);
        }
        let path = format!(
            "signature/notification/linked/{}",
            certificate.document_number.expose()
        );
        let request =
            SignatureRequest::new(&self.config, digest, Some(choice.id), interactions, nonce);
        let answer: SessionAnswer =
            exchange::post(&*self.port, &self.config, &path, &request).await?;
        let mut flows = choice.flows.clone();
        flows.push(FlowType::Notification);
        Ok(signature_session(
            answer.session_id,
            certificate,
            digest,
            flows,
        ))
    }

    /// Polls a certificate choice: returns at once when its state changes, and after `wait` (1 s to
    /// 120 s) otherwise.
    ///
    /// # Errors
    /// [`SmartIdError`]; unless it [`SmartIdError::is_transient`], the session is over.
    pub async fn poll_certificate(
        &self,
        session: &CertificateSession,
        wait: Duration,
    ) -> Result<SessionState<SigningCertificate>, SmartIdError> {
        let Some((answer, document_number)) = self.poll(session.id, wait).await? else {
            return Ok(SessionState::Running);
        };
        let flow = answer.signature.and_then(|signature| signature.flow_type);
        if let Some(answered) = flow {
            check_flow(answered, &session.flows)?;
        }
        let certificate = self.certificate(answer.cert, document_number)?;
        Ok(SessionState::Complete(SigningCertificate {
            flow,
            ..certificate
        }))
    }

    /// Polls a signature, like [`Self::poll_certificate`]. The value is not verified here.
    ///
    /// # Errors
    /// [`SmartIdError`]; unless it [`SmartIdError::is_transient`], the session is over.
    pub async fn poll_signature(
        &self,
        session: &SignatureSession,
        wait: Duration,
    ) -> Result<SessionState<DeviceSignature>, SmartIdError> {
        let Some((answer, document_number)) = self.poll(session.id, wait).await? else {
            return Ok(SessionState::Running);
        };
        if answer.signature_protocol.as_deref() != Some(RAW_DIGEST_SIGNATURE) {
            return Err(InvalidAnswer::Protocol.into());
        }
        let signature = answer.signature.ok_or(InvalidAnswer::Member("signature"))?;
        check_flow(
            signature
                .flow_type
                .ok_or(InvalidAnswer::Member("flowType"))?,
            &session.flows,
        )?;
        if signature.signature_algorithm.as_deref() != Some(session.algorithm.name()) {
            return Err(InvalidAnswer::Algorithm {
                requested: session.algorithm,
            }
            .into());
        }
        if document_number != session.document_number {
            return Err(InvalidAnswer::Document.into());
        }
        let certificate = self.certificate(answer.cert, document_number)?;
        if sha256(&certificate.der) != session.certificate_sha256 {
            return Err(InvalidAnswer::Certificate.into());
        }
        let value = signature_value(signature.value.as_deref())?;
        Ok(SessionState::Complete(DeviceSignature {
            value,
            algorithm: session.algorithm,
        }))
    }

    /// Answer of a session that ended with success, and the document that answered; `None` while it
    /// runs.
    pub(super) async fn poll(
        &self,
        id: SessionId,
        wait: Duration,
    ) -> Result<Option<(StatusAnswer, DocumentNumber)>, SmartIdError> {
        let wait = wait.clamp(SHORTEST_WAIT, LONGEST_WAIT);
        let path = format!("session/{id}?timeoutMs={}", wait.as_millis());
        let answer: StatusAnswer = exchange::get(&*self.port, &self.config, &path, wait).await?;
        match answer.state.as_str() {
            "RUNNING" => Ok(None),
            "COMPLETE" => {
                let result = answer
                    .result
                    .as_ref()
                    .ok_or(InvalidAnswer::Member("result"))?;
                end_result::check(&result.end_result)?;
                let number = result
                    .document_number
                    .as_deref()
                    .and_then(|number| number.parse().ok());
                let number = number.ok_or(InvalidAnswer::Member("documentNumber"))?;
                Ok(Some((answer, number)))
            }
            _ => Err(InvalidAnswer::Member("state").into()),
        }
    }

    pub(super) fn certificate(
        &self,
        answer: Option<wire::Certificate>,
        document_number: DocumentNumber,
    ) -> Result<SigningCertificate, SmartIdError> {
        let answer = answer.ok_or(InvalidAnswer::Member("cert"))?;
        let (requested, answered) = (self.config.certificate_level, answer.certificate_level);
        if !answered.satisfies(requested) {
            return Err(SmartIdError::LevelTooLow {
                requested,
                answered,
            });
        }
        let der = decode(&answer.value, LONGEST_CERTIFICATE)
            .ok_or(InvalidAnswer::Member("certificate"))?;
        Ok(SigningCertificate {
            der,
            level: answered,
            document_number,
            flow: None,
        })
    }
}

fn signature_session(
    id: SessionId,
    certificate: &SigningCertificate,
    digest: &DigestToSign,
    flows: Vec<FlowType>,
) -> SignatureSession {
    SignatureSession {
        id,
        algorithm: digest.algorithm(),
        document_number: certificate.document_number.clone(),
        certificate_sha256: sha256(&certificate.der),
        flows,
    }
}

fn verification_code(answer: &CodeAnswer) -> Result<VerificationCode, InvalidAnswer> {
    let code = (answer.r#type == "numeric4")
        .then(|| VerificationCode::new(&answer.value))
        .flatten();
    code.ok_or(InvalidAnswer::Member("verification code"))
}

pub(super) fn check_flow(answered: FlowType, offered: &[FlowType]) -> Result<(), InvalidAnswer> {
    if offered.contains(&answered) {
        Ok(())
    } else {
        Err(InvalidAnswer::Flow { answered })
    }
}

pub(super) fn signature_value(base64: Option<&str>) -> Result<Vec<u8>, InvalidAnswer> {
    let value = base64.and_then(|value| decode(value, LONGEST_SIGNATURE));
    value.ok_or(InvalidAnswer::Member("signature value"))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
