//! Mobile-ID as an [`EidProvider`].

use std::time::Duration;

use async_trait::async_trait;

use super::{
    DisplayText, Language, MobileIdClient, MobileIdError, MobileIdUser, SignatureSession,
    SigningCertificate,
};
use crate::authentication::Authenticator;
use crate::provider::{
    AskedFor, DeviceLinks, EidError, EidProvider, KeyKind, PersonToAsk, ProviderSession,
    RequestKey, RequestedCertificate, SessionState, SignatureRequest, SignerCertificate,
    SignerOutcome, StartedSignature,
};

impl From<MobileIdError> for EidError {
    fn from(error: MobileIdError) -> Self {
        Self {
            is_undelivered: error.is_undelivered(),
            status: error.status(),
            ..Self::new(error.signer_outcome(), error.is_transient(), error)
        }
    }
}

/// A session of a certificate, which the protocol has not.
#[derive(Debug, thiserror::Error)]
#[error("Mobile-ID has no sessions of certificates")]
struct NoCertificateSessions;

/// The phone number is missing.
#[derive(Debug, thiserror::Error)]
#[error("the person's phone number is not known")]
pub(super) struct NoPhoneNumber;

#[async_trait]
impl EidProvider for MobileIdClient {
    fn host(&self) -> &str {
        self.config.base_url.host_str().unwrap_or_default()
    }

    fn has_keys(&self, _kind: KeyKind) -> bool {
        true
    }

    /// A certificate is available without asking the person. A phone that was asked for a signature
    /// rings again for a repetition.
    fn repeats_within(&self, asked: AskedFor) -> Duration {
        match asked {
            AskedFor::Certificate => Duration::MAX,
            AskedFor::Signature => Duration::ZERO,
        }
    }

    async fn request_certificate(
        &self,
        person: PersonToAsk<'_>,
        _request: &RequestKey,
    ) -> Result<RequestedCertificate, EidError> {
        let phone = person
            .phone_number
            .ok_or_else(|| EidError::unusable(NoPhoneNumber))?;
        let no_account = |error| EidError::new(SignerOutcome::NoAccount, false, error);
        let user = MobileIdUser::new(person.identifier, phone).map_err(no_account)?;
        let certificate = self.certificate(&user).await?;
        let certificate = SignerCertificate::of(&certificate)?;
        Ok(RequestedCertificate::Known(certificate))
    }

    async fn poll_certificate(
        &self,
        _session: &ProviderSession,
        _wait: Duration,
    ) -> Result<SessionState<SignerCertificate>, EidError> {
        Err(EidError::unusable(NoCertificateSessions))
    }

    async fn request_signature(
        &self,
        request: SignatureRequest<'_>,
    ) -> Result<StartedSignature, EidError> {
        let certificate: SigningCertificate = request.certificate.read()?;
        let text = DisplayText::new(request.prompt).map_err(EidError::unusable)?;
        let language = Language::of(request.language);
        let started = self
            .start_signature(&certificate.user, &request.sha256, &text, language)
            .await?;
        Ok(StartedSignature {
            session: ProviderSession::of(&started.session)?,
            verification_code: Some(started.verification_code),
        })
    }

    async fn poll_signature(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<Vec<u8>>, EidError> {
        let session: SignatureSession = session.read()?;
        Ok(self.poll_signature(&session, wait).await?)
    }

    fn is_on_same_device(&self, _certificate: &SignerCertificate) -> bool {
        false
    }

    fn device_links(&self) -> Option<&dyn DeviceLinks> {
        None
    }

    fn authenticator(&self) -> Option<&dyn Authenticator> {
        Some(self)
    }
}
