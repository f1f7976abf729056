//! Smart-ID as an [`EidProvider`].

use std::time::Duration;

use async_trait::async_trait;
use url::Url;

use super::{
    CallbackUrl, CertificateSession, DeviceLinkSession, DigestToSign, DisplayText, FlowType,
    Interaction, Interactions, LinkKind, Nonce, SemanticsIdentifier, SignatureAlgorithm,
    SignatureSession, SigningCertificate, SmartIdClient, SmartIdError,
};
use crate::authentication::Authenticator;
use crate::provider::{
    AskedFor, ChoiceLinks, DeviceLinks, EidError, EidProvider, KeyKind, LinkedAuthentication,
    OpenedChoice, PersonToAsk, ProviderSession, RequestKey, RequestedCertificate, SessionState,
    SignatureRequest, SignerCertificate, StartedSignature,
};

/// Smart-ID remembers a request for 15 s; the difference allows for the transfer.
const REPEATS_WITHIN: Duration = Duration::from_secs(10);

impl From<SmartIdError> for EidError {
    fn from(error: SmartIdError) -> Self {
        Self {
            status: error.status(),
            ..Self::new(error.signer_outcome(), error.is_transient(), error)
        }
    }
}

impl From<&RequestKey> for Nonce {
    fn from(key: &RequestKey) -> Self {
        let mut bytes = [0; 15];
        bytes.copy_from_slice(&key.0[..15]);
        Self::from_bytes(bytes)
    }
}

#[async_trait]
impl EidProvider for SmartIdClient {
    fn host(&self) -> &str {
        self.config.base_url.host_str().unwrap_or_default()
    }

    fn has_keys(&self, kind: KeyKind) -> bool {
        kind == KeyKind::Rsa
    }

    fn repeats_within(&self, _asked: AskedFor) -> Duration {
        REPEATS_WITHIN
    }

    async fn request_certificate(
        &self,
        person: PersonToAsk<'_>,
        request: &RequestKey,
    ) -> Result<RequestedCertificate, EidError> {
        let person = person.identifier.parse::<SemanticsIdentifier>();
        let person = person.map_err(EidError::unusable)?;
        let session = self
            .start_certificate_choice(&person, &request.into())
            .await?;
        Ok(RequestedCertificate::Asked(ProviderSession::of(&session)?))
    }

    async fn poll_certificate(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<SignerCertificate>, EidError> {
        let session: CertificateSession = session.read()?;
        Ok(match self.poll_certificate(&session, wait).await? {
            SessionState::Running => SessionState::Running,
            SessionState::Complete(certificate) => {
                SessionState::Complete(SignerCertificate::of(&certificate)?)
            }
        })
    }

    async fn request_signature(
        &self,
        request: SignatureRequest<'_>,
    ) -> Result<StartedSignature, EidError> {
        let certificate: SigningCertificate = request.certificate.read()?;
        let algorithm = SignatureAlgorithm::Sha256WithRsaEncryption;
        let digest = DigestToSign::new(algorithm, request.sha256).map_err(EidError::unusable)?;
        let text = DisplayText::new(request.prompt).map_err(EidError::unusable)?;
        let interactions = Interactions::new(&[Interaction::DisplayTextAndPin(text)]);
        let interactions = interactions.map_err(EidError::unusable)?;
        let nonce = Nonce::from(&request.key);
        let Some(choice) = request.choice else {
            let started = self
                .start_signature(&certificate, &digest, &interactions, &nonce)
                .await?;
            return Ok(StartedSignature {
                session: ProviderSession::of(&started.session)?,
                verification_code: Some(started.verification_code.to_string()),
            });
        };
        let choice: CertificateSession = choice.read()?;
        let session = self
            .start_linked_signature(&choice, &certificate, &digest, &interactions, &nonce)
            .await?;
        // The app is open already, and shows no code.
        Ok(StartedSignature {
            session: ProviderSession::of(&session)?,
            verification_code: None,
        })
    }

    async fn poll_signature(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<Vec<u8>>, EidError> {
        let session: SignatureSession = session.read()?;
        Ok(match self.poll_signature(&session, wait).await? {
            SessionState::Running => SessionState::Running,
            SessionState::Complete(signature) => SessionState::Complete(signature.value),
        })
    }

    fn is_on_same_device(&self, certificate: &SignerCertificate) -> bool {
        let certificate = certificate.read::<SigningCertificate>();
        certificate.is_ok_and(|certificate| {
            let flow = certificate.flow;
            flow.is_some_and(FlowType::is_same_device)
        })
    }

    fn device_links(&self) -> Option<&dyn DeviceLinks> {
        Some(self)
    }

    fn authenticator(&self) -> Option<&dyn Authenticator> {
        Some(self)
    }
}

#[async_trait]
impl DeviceLinks for SmartIdClient {
    async fn open(
        &self,
        request: &RequestKey,
        callback: &Url,
        random: [u8; 16],
    ) -> Result<OpenedChoice, EidError> {
        let callback = CallbackUrl::new(callback, random).ok();
        let opened = self
            .start_certificate_choice_by_device_link(&request.into(), callback)
            .await?;
        Ok(OpenedChoice {
            session: ProviderSession::of(&opened.session)?,
            choice: ProviderSession::of(&opened)?,
        })
    }

    async fn open_authentication(
        &self,
        request: LinkedAuthentication<'_>,
    ) -> Result<OpenedChoice, EidError> {
        self.open_linked_authentication(request).await
    }

    fn links(
        &self,
        choice: &ProviderSession,
        elapsed: Duration,
        language: &str,
    ) -> Result<ChoiceLinks, EidError> {
        let choice: DeviceLinkSession = choice.read()?;
        let link = |kind| self.device_link(&choice, kind, language);
        Ok(ChoiceLinks {
            qr: link(LinkKind::Qr { elapsed }),
            same_device: choice.has_callback().then(|| link(LinkKind::Web2App)),
        })
    }

    fn admits_callback(
        &self,
        choice: &ProviderSession,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<bool, EidError> {
        let choice: DeviceLinkSession = choice.read()?;
        Ok(choice.admits_callback(value, session_secret_digest))
    }
}
