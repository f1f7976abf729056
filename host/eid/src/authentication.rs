//! What a provider does for somebody who authenticates.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use parafa_eid_protocols::smart_id::user_challenge;
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;
use subtle::ConstantTimeEq;

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
    /// The name of whom the person logs in to, for the device to show as much of it
    /// as it can.
    pub relying_party: &'r str,
}

/// What a device has answered.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct AuthenticationProof {
    /// The person's authentication certificate, DER.
    #[serde(with = "As::<Base64>")]
    pub certificate: Vec<u8>,
    /// What was signed, with SHA-256.
    #[serde(with = "As::<Base64>")]
    pub message: Vec<u8>,
    /// How.
    pub scheme: ProofScheme,
    /// The signature: for ECDSA an `ECDSA-Sig-Value` in DER.
    #[serde(with = "As::<Base64>")]
    pub value: Vec<u8>,
    /// Where the app was opened on the device that shows the page: the digest of
    /// the verifier with which it returns there. The answer counts only then.
    pub user_challenge: Option<String>,
}

impl AuthenticationProof {
    /// Whether this is the verifier with which the app returns.
    #[must_use]
    pub fn admits_verifier(&self, verifier: &str) -> bool {
        let challenge = user_challenge(verifier);
        let own = self.user_challenge.as_deref();
        own.is_some_and(|own| own.as_bytes().ct_eq(challenge.as_bytes()).into())
    }
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
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofScheme {
    /// ECDSA.
    Ecdsa,
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1,
    /// RSASSA-PSS with MGF1 over SHA-256 and a salt of 32 octets.
    RsaPss,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published example.
    #[test]
    fn the_app_returns_with_the_verifier_of_the_challenge_that_it_signed() {
        let proof = |user_challenge: Option<&str>| AuthenticationProof {
            certificate: Vec::new(),
            message: Vec::new(),
            scheme: ProofScheme::RsaPss,
            value: Vec::new(),
            user_challenge: user_challenge.map(str::to_owned),
        };
        let verifier = "XtPfaGa8JnGtYrJjboooUf0KfY9sMEHrWFpSQrsUv9c";
        let own = proof(Some("GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00"));

        assert!(own.admits_verifier(verifier));
        assert!(!own.admits_verifier(""));
        assert!(!own.admits_verifier("GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00"));
        assert!(!proof(None).admits_verifier(verifier));
    }
}
