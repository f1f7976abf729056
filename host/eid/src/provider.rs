//! What every provider of eIDs does, whatever its protocol: it tells a person's
//! certificate, and has their device sign.

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

/// The client of a provider. It keeps nothing between two calls.
#[async_trait]
pub trait EidProvider: Send + Sync {
    /// The host of the provider's service, for operators.
    fn host(&self) -> &str;

    /// Whether its devices sign with keys of this kind.
    fn has_keys(&self, kind: KeyKind) -> bool;

    /// How long the provider surely takes the same request for a repetition, so
    /// that nobody is asked twice; for ever where nobody is asked.
    fn repeats_within(&self, asked: AskedFor) -> Duration;

    /// Asks for the certificate of `person`. Asked again within
    /// [`Self::repeats_within`] with the same `request`, it answers the same.
    async fn request_certificate(
        &self,
        person: PersonToAsk<'_>,
        request: &RequestKey,
    ) -> Result<RequestedCertificate, EidError>;

    /// Where that stands; answers at once when it changes, and after `wait`
    /// otherwise. Unless the error is transient, the session is over.
    async fn poll_certificate(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<SignerCertificate>, EidError>;

    /// Asks the device that has the certificate to sign.
    async fn request_signature(
        &self,
        request: SignatureRequest<'_>,
    ) -> Result<StartedSignature, EidError>;

    /// Where that stands, as [`Self::poll_certificate`]. The value is not
    /// verified against the certificate.
    async fn poll_signature(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<Vec<u8>>, EidError>;

    /// Whether the person's app was opened on the device that shows the page,
    /// and returns there.
    fn is_on_same_device(&self, certificate: &SignerCertificate) -> bool;

    /// The way to the app that needs no personal code, if there is one.
    fn device_links(&self) -> Option<&dyn DeviceLinks>;

    /// How its devices authenticate their holders, if they do.
    fn authenticator(&self) -> Option<&dyn Authenticator> {
        None
    }
}

/// Choices of certificates, and authentications, that are open to whoever follows
/// their links.
#[async_trait]
pub trait DeviceLinks: Send + Sync {
    /// Opens a choice. The app returns to `callback`, to which `random` is added
    /// as a value that nobody guesses, where the provider takes such an address.
    async fn open(
        &self,
        request: &RequestKey,
        callback: &Url,
        random: [u8; 16],
    ) -> Result<OpenedChoice, EidError>;

    /// Opens an authentication of whoever follows its link; its links and callback
    /// are like those of a choice.
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

    /// Whether the app came back from this choice, by what its callback carries.
    fn admits_callback(
        &self,
        choice: &ProviderSession,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<bool, EidError>;
}

/// What the provider's client needs to go on with a session, in a form of its
/// own. May hold secrets: to be kept encrypted, and not shown by `Debug`.
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

/// The certificate that a device signs with, and what its provider knows it by.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct SignerCertificate {
    /// The end-entity certificate, DER.
    #[serde(with = "As::<Base64>")]
    pub der: Vec<u8>,
    #[serde(flatten)]
    details: Map<String, Value>,
}

impl SignerCertificate {
    /// A certificate of which no provider knows more, such as a card's.
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
    /// Without the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignerCertificate").finish_non_exhaustive()
    }
}

/// What a provider is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AskedFor {
    /// A person's certificate.
    Certificate,
    /// A signature.
    Signature,
}

/// Whom a provider is asked about. Not shown by `Debug`.
#[derive(Clone, Copy)]
pub struct PersonToAsk<'p> {
    /// The ETSI EN 319 412-1 semantics identifier.
    pub identifier: &'p str,
    /// The number of the person's phone, where they gave one.
    pub phone_number: Option<&'p str>,
}

/// What comes of asking for a certificate.
#[derive(Clone, Debug)]
pub enum RequestedCertificate {
    /// The person is asked; the session is to be polled.
    Asked(ProviderSession),
    /// It was had without asking anybody.
    Known(SignerCertificate),
}

/// Names a request, so that the provider knows a repetition of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequestKey(pub [u8; 32]);

/// What a device is to sign.
#[derive(Clone, Copy, Debug)]
pub struct SignatureRequest<'r> {
    /// Whose device.
    pub certificate: &'r SignerCertificate,
    /// The choice of the certificate, where that was by a device link.
    pub choice: Option<&'r ProviderSession>,
    /// The SHA-256 digest of what is signed.
    pub sha256: [u8; 32],
    /// What the device shows, in the person's language, in 50 characters of the
    /// basic multilingual plane at most.
    pub prompt: &'r str,
    /// The person's language, one of ISO 639-2.
    pub language: &'r str,
    /// Names the request.
    pub key: RequestKey,
}

/// A signature that a device was asked for.
#[derive(Clone, Debug)]
pub struct StartedSignature {
    /// What to poll.
    pub session: ProviderSession,
    /// What the person compares with the device; none where it shows no code.
    pub verification_code: Option<String>,
}

/// An authentication of somebody who is not known yet.
#[derive(Clone, Copy)]
pub struct LinkedAuthentication<'r> {
    /// What makes the answer one to this request; its SHA-256 digest goes to the
    /// provider.
    pub message: &'r [u8],
    /// The name of whom the person logs in to.
    pub relying_party: &'r str,
    /// Where the app returns to; with `random` as in [`DeviceLinks::open`].
    pub callback: &'r Url,
    /// A value that nobody guesses.
    pub random: [u8; 16],
}

/// A choice of a certificate, or an authentication, that was opened.
#[derive(Clone, Debug)]
pub struct OpenedChoice {
    /// What its links are made of.
    pub choice: ProviderSession,
    /// What to poll.
    pub session: ProviderSession,
}

/// The links of a choice of a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChoiceLinks {
    /// Text of the code to scan, now.
    pub qr: String,
    /// The link for the device that shows the page, where it can return there.
    pub same_device: Option<String>,
}

/// Where a session stands.
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
    /// On an elliptic curve.
    Ec,
    /// RSA.
    Rsa,
}

/// What a refusal means to the person who signs.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SignerOutcome {
    /// They refused.
    UserRefused,
    /// They took too long.
    Timeout,
    /// They chose a wrong verification code.
    WrongCode,
    /// They have no account.
    NoAccount,
    /// Their account is not for qualified signatures.
    NotQualified,
    /// Their app or account needs their attention.
    DeviceError,
    /// The provider cannot help now.
    ProviderUnavailable,
}

/// Why there is no certificate or signature. `Display` is for operators and
/// names nobody.
#[derive(Debug, thiserror::Error)]
#[error("the provider gives no certificate or signature")]
pub struct EidError {
    /// What to tell the person.
    pub outcome: SignerOutcome,
    /// Whether the same poll may go better a little later.
    pub is_transient: bool,
    /// Whether the session ended without having reached the person's device.
    pub is_undelivered: bool,
    /// The HTTP status with which the service refused, if it did.
    pub status: Option<u16>,
    pub(crate) source: Box<dyn Error + Send + Sync>,
}

impl EidError {
    /// What an operator can do about it.
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
