//! Common operations of eID providers, whatever their protocol: they return a person's certificate
//! and have their device sign.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::As;
use serde_with::base64::Base64;
use url::Url;

use crate::authentication::Authenticator;

/// Client of a provider. It has no state between two calls.
#[async_trait]
pub trait EidProvider: Send + Sync {
    /// The host of the provider's service, for operators.
    fn host(&self) -> &str;

    /// Returns true if its devices sign with keys of this kind.
    fn has_keys(&self, kind: KeyKind) -> bool;

    /// Time within which the provider certainly treats the same request as a repetition, so that
    /// the person is not asked twice. Unlimited if no person is asked.
    fn repeats_within(&self, asked: AskedFor) -> Duration;

    /// Requests the certificate of `person`. A repetition within [`Self::repeats_within`] with the
    /// same `request` gets the same answer.
    async fn request_certificate(
        &self,
        person: PersonToAsk<'_>,
        request: &RequestKey,
    ) -> Result<RequestedCertificate, EidError>;

    /// Polls the session: returns at once when its state changes, and after `wait` otherwise.
    /// Unless the error is transient, the session is over.
    async fn poll_certificate(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<SignerCertificate>, EidError>;

    /// Asks the certificate's device to sign.
    async fn request_signature(
        &self,
        request: SignatureRequest<'_>,
    ) -> Result<StartedSignature, EidError>;

    /// Polls the session, like [`Self::poll_certificate`]. The value is not verified against the
    /// certificate.
    async fn poll_signature(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<Vec<u8>>, EidError>;

    /// Returns true if the person's app was opened on the device that shows the page, and returns
    /// there.
    fn is_on_same_device(&self, certificate: &SignerCertificate) -> bool;

    /// The way to the app that needs no personal code, if there is one.
    fn device_links(&self) -> Option<&dyn DeviceLinks>;

    /// Authentication by its devices, if supported.
    fn authenticator(&self) -> Option<&dyn Authenticator> {
        None
    }
}

/// Certificate choices and authentications that are open to anybody who follows their links.
#[async_trait]
pub trait DeviceLinks: Send + Sync {
    /// Opens a choice. The app returns to `callback`, extended by `random` as an unguessable value,
    /// if the provider supports callbacks.
    async fn open(
        &self,
        request: &RequestKey,
        callback: &Url,
        random: [u8; 16],
    ) -> Result<OpenedChoice, EidError>;

    /// Opens an authentication for anybody who follows its link; its links and callback are like
    /// those of a choice.
    async fn open_authentication(
        &self,
        request: LinkedAuthentication<'_>,
    ) -> Result<OpenedChoice, EidError>;

    /// Its links, `elapsed` after it was opened. The language is one of ISO 639-2.
    fn links(
        &self,
        choice: &ProviderSession,
        elapsed: Duration,
        language: &str,
    ) -> Result<ChoiceLinks, EidError>;

    /// Checks that the app came back from this choice, by the parameters of its callback.
    fn admits_callback(
        &self,
        choice: &ProviderSession,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<bool, EidError>;
}

/// State of a session in the provider client's own form. It may contain secrets: keep it encrypted.
/// `Debug` does not show it.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ProviderSession(Value);

impl ProviderSession {
    pub(crate) fn of(session: &impl Serialize) -> Result<Self, EidError> {
        serde_json::to_value(session)
            .map(Self)
            .map_err(EidError::unusable)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, EidError> {
        T::deserialize(&self.0).map_err(EidError::unusable)
    }
}

impl fmt::Debug for ProviderSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSession").finish_non_exhaustive()
    }
}

/// A device's signing certificate, with its provider's details.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct SignerCertificate {
    /// The end-entity certificate, DER.
    #[serde(with = "As::<Base64>")]
    pub der: Vec<u8>,
    #[serde(flatten)]
    details: Map<String, Value>,
}

impl SignerCertificate {
    /// A certificate without a provider's details, such as a card's.
    #[must_use]
    pub fn bare(der: Vec<u8>) -> Self {
        Self {
            der,
            details: Map::new(),
        }
    }

    pub(crate) fn of(certificate: &impl Serialize) -> Result<Self, EidError> {
        serde_json::to_value(certificate)
            .and_then(Self::deserialize)
            .map_err(EidError::unusable)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, EidError> {
        serde_json::to_value(self)
            .and_then(T::deserialize)
            .map_err(EidError::unusable)
    }
}

impl fmt::Debug for SignerCertificate {
    /// Omits the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignerCertificate").finish_non_exhaustive()
    }
}

/// Kind of request to a provider.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AskedFor {
    /// A person's certificate.
    Certificate,
    /// A signature.
    Signature,
}

/// Person to ask a provider about. Not shown by `Debug`.
#[derive(Clone, Copy)]
pub struct PersonToAsk<'p> {
    /// The ETSI EN 319 412-1 semantics identifier.
    pub identifier: &'p str,
    /// Phone number, if the person gave one.
    pub phone_number: Option<&'p str>,
}

/// Outcome of a request for a certificate.
#[derive(Clone, Debug)]
pub enum RequestedCertificate {
    /// The person is being asked; poll the session.
    Asked(ProviderSession),
    /// Available without asking the person.
    Known(SignerCertificate),
}

/// Names a request, so that the provider knows a repetition of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequestKey(pub [u8; 32]);

/// A request to a device to sign.
#[derive(Clone, Copy, Debug)]
pub struct SignatureRequest<'r> {
    /// Certificate of the device.
    pub certificate: &'r SignerCertificate,
    /// The certificate choice, if it was made by a device link.
    pub choice: Option<&'r ProviderSession>,
    /// SHA-256 digest of the data to be signed.
    pub sha256: [u8; 32],
    /// Text shown by the device, in the person's language: at most 50 characters of the basic
    /// multilingual plane.
    pub prompt: &'r str,
    /// The person's language, one of ISO 639-2.
    pub language: &'r str,
    /// Names the request.
    pub key: RequestKey,
}

/// A signature requested from a device.
#[derive(Clone, Debug)]
pub struct StartedSignature {
    /// Session to poll.
    pub session: ProviderSession,
    /// Code that the person compares with the device; `None` if it shows no code.
    pub verification_code: Option<String>,
}

/// An authentication of a person who is not known yet.
#[derive(Clone, Copy)]
pub struct LinkedAuthentication<'r> {
    /// The message that binds the answer to this request; its SHA-256 digest goes to the provider.
    pub message: &'r [u8],
    /// Name of the relying party.
    pub relying_party: &'r str,
    /// URL to which the app returns; with `random` as in [`DeviceLinks::open`].
    pub callback: &'r Url,
    /// An unguessable value.
    pub random: [u8; 16],
}

/// A choice of a certificate, or an authentication, that was opened.
#[derive(Clone, Debug)]
pub struct OpenedChoice {
    /// State from which its links are made.
    pub choice: ProviderSession,
    /// Session to poll.
    pub session: ProviderSession,
}

/// The links of a choice of a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChoiceLinks {
    /// Text of the code to scan, now.
    pub qr: String,
    /// The link for the device that shows the page, if the app can return there.
    pub same_device: Option<String>,
}

/// State of a session.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SessionState<T> {
    /// The person has not decided.
    Running,
    /// The person agreed.
    Complete(T),
}

/// A kind of key that devices have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyKind {
    /// A key on an elliptic curve.
    Ec,
    /// RSA.
    Rsa,
}

/// Meaning of a failure for the signer.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SignerOutcome {
    /// The person refused.
    UserRefused,
    /// The person took too long.
    Timeout,
    /// The person chose a wrong verification code.
    WrongCode,
    /// The person has no account.
    NoAccount,
    /// Their account is not for qualified signatures.
    NotQualified,
    /// Their app or account needs their attention.
    DeviceError,
    /// The provider cannot help now.
    ProviderUnavailable,
}

/// Reason for the lack of a certificate or signature. `Display` is for operators and names no
/// person.
#[derive(Debug, thiserror::Error)]
#[error("the provider gives no certificate or signature")]
pub struct EidError {
    /// Outcome to show to the person.
    pub outcome: SignerOutcome,
    /// True if the same poll may succeed a little later.
    pub is_transient: bool,
    /// True if the session ended before it reached the person's device.
    pub is_undelivered: bool,
    /// The HTTP status with which the service refused, if it did.
    pub status: Option<u16>,
    pub(crate) source: Box<dyn Error + Send + Sync>,
}

impl EidError {
    /// Remedy for the operator.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        parafa_http_port::remedy(self.status, self)
    }

    pub(crate) fn new(
        outcome: SignerOutcome,
        is_transient: bool,
        source: impl Error + Send + Sync + 'static,
    ) -> Self {
        Self {
            outcome,
            is_transient,
            is_undelivered: false,
            status: None,
            source: Box::new(source),
        }
    }

    /// A session, or a text for the device, that the client can do nothing with.
    pub(crate) fn unusable(source: impl Error + Send + Sync + 'static) -> Self {
        Self::new(SignerOutcome::ProviderUnavailable, false, source)
    }
}
