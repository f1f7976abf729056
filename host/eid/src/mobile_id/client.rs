use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_http_port::HttpPort;
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;

use super::wire::{
    CertificateAnswer, SessionAnswer, Signature, SignatureRequest, StatusAnswer, UserRequest,
};
use super::{
    DisplayText, InvalidAnswer, Language, MobileIdConfig, MobileIdError, MobileIdUser,
    SessionState, exchange, result, verification_code,
};
use crate::ecdsa;
use crate::service::{LONGEST_CERTIFICATE, LONGEST_SIGNATURE, decode};

/// Range of the wait accepted by the service.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Longest id of a session, in characters.
const LONGEST_SESSION: usize = 64;
/// Lengths of r and s on P-256, P-384 and P-521.
const FIELDS: [usize; 3] = [32, 48, 66];

/// The algorithm of a SIM with an RSA key.
const RSA: &str = "SHA256WithRSAEncryption";

/// A relying party of the service.
#[derive(Clone)]
pub struct MobileIdClient {
    pub(super) config: Arc<MobileIdConfig>,
    port: Arc<dyn HttpPort>,
}

/// Signing certificate of a phone, and the phone's user.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct SigningCertificate {
    /// The end-entity certificate, DER: some bytes, few enough for one.
    #[serde(with = "As::<Base64>")]
    pub der: Vec<u8>,
    /// The user it belongs to.
    #[serde(flatten)]
    pub user: MobileIdUser,
}

impl fmt::Debug for SigningCertificate {
    /// Omits the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningCertificate").finish_non_exhaustive()
    }
}

/// A running signature.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SignatureSession {
    id: String,
}

/// A signature requested from a phone.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StartedPhoneSignature {
    /// Session to poll.
    pub session: SignatureSession,
    /// Code that the person compares with the phone.
    pub verification_code: String,
}

/// A phone's answer to an authentication.
pub struct PhoneAuthentication {
    /// The person's authentication certificate, DER.
    pub certificate: Vec<u8>,
    /// True if the value is one of RSASSA-PKCS1-v1_5.
    pub is_rsa: bool,
    /// The value, in the form of [`MobileIdClient::poll_signature`].
    pub value: Vec<u8>,
}

impl MobileIdClient {
    /// Speaks through `port`, which has to reach the configured address.
    pub fn new(config: MobileIdConfig, port: Arc<dyn HttpPort>) -> Self {
        Self {
            config: Arc::new(config),
            port,
        }
    }

    /// Returns the signing certificate of a user's phone, without asking the user.
    ///
    /// # Errors
    /// [`MobileIdError`]; [`MobileIdError::NotClient`] without Mobile-ID.
    pub async fn certificate(
        &self,
        user: &MobileIdUser,
    ) -> Result<SigningCertificate, MobileIdError> {
        let request = UserRequest::new(&self.config, user);
        let answer: CertificateAnswer =
            exchange::post(&*self.port, &self.config, "certificate", &request).await?;
        result::check(&answer.result)?;
        let der = answer
            .cert
            .and_then(|cert| decode(&cert, LONGEST_CERTIFICATE));
        Ok(SigningCertificate {
            der: der.ok_or(InvalidAnswer::Member("certificate"))?,
            user: user.clone(),
        })
    }

    /// Asks a user's phone to sign a SHA-256 digest.
    ///
    /// # Errors
    /// [`MobileIdError`].
    pub async fn start_signature(
        &self,
        user: &MobileIdUser,
        sha256: &[u8; 32],
        text: &DisplayText,
        language: Language,
    ) -> Result<StartedPhoneSignature, MobileIdError> {
        Ok(StartedPhoneSignature {
            session: self
                .start("signature", user, sha256, text, language)
                .await?,
            verification_code: verification_code(sha256),
        })
    }

    /// Asks a user's phone to sign a digest at `path`.
    async fn start(
        &self,
        path: &str,
        user: &MobileIdUser,
        sha256: &[u8; 32],
        text: &DisplayText,
        language: Language,
    ) -> Result<SignatureSession, MobileIdError> {
        let digest = STANDARD.encode(sha256);
        let user = UserRequest::new(&self.config, user);
        let request = SignatureRequest::new(user, &digest, text, language);
        let answer: SessionAnswer =
            exchange::post(&*self.port, &self.config, path, &request).await?;
        let id = answer.session_id;
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !(1..=LONGEST_SESSION).contains(&id.len()) || !id.bytes().all(is_id) {
            return Err(InvalidAnswer::Member("sessionID").into());
        }
        Ok(SignatureSession { id })
    }

    /// Asks a user's phone to authenticate its owner by a SHA-256 digest.
    ///
    /// # Errors
    /// [`MobileIdError`].
    pub async fn start_authentication(
        &self,
        user: &MobileIdUser,
        sha256: &[u8; 32],
        text: &DisplayText,
        language: Language,
    ) -> Result<SignatureSession, MobileIdError> {
        self.start("authentication", user, sha256, text, language)
            .await
    }

    /// Polls a signature: returns at once when its state changes, and after `wait` (1 s to 60 s)
    /// otherwise. The value is an `ECDSA-Sig-Value` in DER or one of RSASSA-PKCS1-v1_5, depending
    /// on the SIM's key; it is not verified here. Of two concurrent polls the older one learns
    /// nothing.
    ///
    /// # Errors
    /// [`MobileIdError`]; unless it [`MobileIdError::is_transient`], the session is over.
    pub async fn poll_signature(
        &self,
        session: &SignatureSession,
        wait: Duration,
    ) -> Result<SessionState<Vec<u8>>, MobileIdError> {
        let Some(answer) = self.poll("signature", session, wait).await? else {
            return Ok(SessionState::Running);
        };
        let signature = answer.signature.ok_or(InvalidAnswer::Member("signature"))?;
        Ok(SessionState::Complete(value(&signature)?))
    }

    /// Polls an authentication, like [`Self::poll_signature`].
    ///
    /// # Errors
    /// [`MobileIdError`]; unless it [`MobileIdError::is_transient`], the session is over.
    pub async fn poll_authentication(
        &self,
        session: &SignatureSession,
        wait: Duration,
    ) -> Result<SessionState<PhoneAuthentication>, MobileIdError> {
        let Some(answer) = self.poll("authentication", session, wait).await? else {
            return Ok(SessionState::Running);
        };
        let signature = answer.signature.ok_or(InvalidAnswer::Member("signature"))?;
        let certificate = answer
            .cert
            .and_then(|cert| decode(&cert, LONGEST_CERTIFICATE));
        Ok(SessionState::Complete(PhoneAuthentication {
            certificate: certificate.ok_or(InvalidAnswer::Member("certificate"))?,
            is_rsa: signature.algorithm == RSA,
            value: value(&signature)?,
        }))
    }

    /// Answer of a session that ended with success; `None` while it runs.
    async fn poll(
        &self,
        path: &str,
        session: &SignatureSession,
        wait: Duration,
    ) -> Result<Option<StatusAnswer>, MobileIdError> {
        let wait = wait.clamp(SHORTEST_WAIT, LONGEST_WAIT);
        let path = format!(
            "{path}/session/{}?timeoutMs={}",
            session.id,
            wait.as_millis()
        );
        let answer: StatusAnswer = exchange::get(&*self.port, &self.config, &path, wait).await?;
        match answer.state.as_str() {
            "RUNNING" => Ok(None),
            "COMPLETE" => {
                let result = answer.result.as_deref();
                result::check(result.ok_or(InvalidAnswer::Member("result"))?)?;
                Ok(Some(answer))
            }
            _ => Err(InvalidAnswer::Member("state").into()),
        }
    }
}

/// The value in the form for verifiers.
fn value(signature: &Signature) -> Result<Vec<u8>, InvalidAnswer> {
    let unreadable = InvalidAnswer::Member("signature value");
    let value = decode(&signature.value, LONGEST_SIGNATURE).ok_or(unreadable)?;
    match signature.algorithm.as_str() {
        RSA => Ok(value),
        "SHA256WithECEncryption" => {
            let mut fields = FIELDS.into_iter();
            fields
                .find_map(|field| ecdsa::to_der(&value, field))
                .ok_or(unreadable)
        }
        _ => Err(InvalidAnswer::Algorithm),
    }
}
