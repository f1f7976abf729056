use parafa_api_auth::AuthenticationMethod;
use parafa_domain::{AuthenticationFailure, CannotAuthenticate};
use parafa_eid::EidError;
use parafa_eid::card::SignatureEncoding;
use parafa_platform::PlatformError;
use parafa_store::StoreError;
use parafa_store::keys::KeyError;
use parafa_trust::CertificateRejection;
use uuid::Uuid;

/// Failure of an operation on an authentication.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The request or code does not exist.
    #[error("there is no such request")]
    NotFound,
    /// The request does not allow the step.
    #[error(transparent)]
    Cannot(#[from] CannotAuthenticate),
    /// The audience is not on the provider's list.
    #[error("the audience is not on the provider's list")]
    ForbiddenOrigin(String),
    /// The method is not enabled for the provider, or for any here.
    #[error("the method is not permitted")]
    ForbiddenMethod(AuthenticationMethod),
    /// The encoding is not enabled for the provider.
    #[error("the encoding is not permitted")]
    ForbiddenEncoding(SignatureEncoding),
    /// The provider's workspace is suspended.
    #[error("the provider's workspace is suspended")]
    ForbiddenTenant,
    /// The certificate is malformed.
    #[error("the certificate cannot be read")]
    MalformedCertificate,
    /// The certificate is of another means than a card.
    #[error("the certificate is not one of a card")]
    OtherMeans,
    /// The certificate may not be used to authenticate its holder.
    #[error(transparent)]
    Certificate(#[from] CertificateRejection),
    /// The certificate identifies another person than expected, or none.
    #[error("the certificate is not that of the person asked for")]
    IdentityMismatch,
    /// The key, algorithm or encoding is not supported.
    #[error("{0}")]
    UnsupportedAlgorithm(String),
    /// The completion has ended the request.
    #[error("the authentication failed")]
    Failed(AuthenticationFailure),
    /// The person is prompted too often.
    #[error("the person is asked too often")]
    TooManyRequests {
        /// Seconds until the next attempt is allowed.
        retry_after: u32,
    },
    /// The person's eID provider opened no session.
    #[error("the provider of the eID does not answer as it should")]
    ProviderDown(#[source] EidError),
    /// An open device link is unreadable.
    #[error("a device link cannot be read")]
    DeviceLink(#[source] EidError),
    /// The records failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A key of assertions could not be created or used.
    #[error("an assertion could not be signed")]
    Assertion(#[source] josekit::JoseError),
}

impl AuthError {
    /// Returns whether it concerns the certificate that a client has submitted.
    pub(crate) fn refuses_certificate(&self) -> bool {
        matches!(
            self,
            Self::MalformedCertificate
                | Self::OtherMeans
                | Self::Certificate(_)
                | Self::IdentityMismatch
                | Self::UnsupportedAlgorithm(_)
                | Self::Cannot(CannotAuthenticate::IdentitySwap)
        )
    }
}

impl From<StoreError> for AuthError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for AuthError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}

/// Reason why a relying party was not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderFault {
    /// The name cannot be displayed.
    #[error("a provider's name {0}")]
    Name(String),
    /// The text is not an origin.
    #[error(
        "{0} is not an origin: write https://host or https://host:port, without a path, a slash at the end or a *; http is for this machine alone"
    )]
    Audience(String),
    /// No encoding has this name.
    #[error("{0} is not an encoding of signatures: write P1363, DER or RAW")]
    Encoding(String),
    /// The provider does not exist.
    #[error("there is no provider {0}; `parafa provider list` shows them")]
    Unknown(Uuid),
    /// The provider's key is revoked.
    #[error("the key {0} is revoked; make another one with `parafa provider create`")]
    Revoked(Uuid),
    /// The records failed.
    #[error("the records failed")]
    Platform(#[from] PlatformError),
}

impl From<StoreError> for ProviderFault {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for ProviderFault {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}
