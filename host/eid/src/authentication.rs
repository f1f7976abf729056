//! What a provider does for somebody who authenticates.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::provider::{EidError, ProviderSession, SessionState};

/// A provider whose devices authenticate their holders. It keeps nothing
/// between two calls.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// What the device will show, for people to compare: of the SHA-256 digest
    /// of the message.
    fn verification_code(&self, sha256: &[u8; 32]) -> String;

    /// Has the device of a person asked.
    async fn request_authentication(
        &self,
        request: AuthenticationRequest<'_>,
    ) -> Result<ProviderSession, EidError>;

    /// Where that stands; answers at once when it changes, and after `wait`
    /// otherwise. Unless the error is transient, the session is over. That the
    /// proof holds is not said.
    async fn poll_authentication(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<AuthenticationProof>, EidError>;
}

/// Who is to authenticate, and by what.
#[derive(Clone, Copy)]
pub struct AuthenticationRequest<'r> {
    /// An ETSI EN 319 412-1 semantics identifier.
    pub person: &'r str,
    /// The number of the phone, where the provider asks for it.
    pub phone_number: Option<&'r str>,
    /// What makes the answer one to this request; its SHA-256 digest goes to the
    /// provider.
    pub message: &'r [u8],
    /// What the device shows, in 60 characters at most.
    pub prompt: &'r str,
}

/// What a device has answered.
#[derive(Clone, Eq, PartialEq)]
pub struct AuthenticationProof {
    /// The person's authentication certificate, DER.
    pub certificate: Vec<u8>,
    /// What was signed, with SHA-256.
    pub message: Vec<u8>,
    /// How.
    pub scheme: ProofScheme,
    /// The signature: for ECDSA an `ECDSA-Sig-Value` in DER.
    pub value: Vec<u8>,
}

impl fmt::Debug for AuthenticationProof {
    /// Without the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticationProof")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

/// How a device signs a SHA-256 digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ProofScheme {
    /// ECDSA.
    Ecdsa,
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1,
    /// RSASSA-PSS with MGF1 over SHA-256 and a salt of 32 octets.
    RsaPss,
}
