//! Authentication by a provider.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use parafa_eid_protocols::smart_id::user_challenge;
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;
use subtle::ConstantTimeEq;

use crate::provider::{EidError, ProviderSession, SessionState};

/// A provider whose devices authenticate their holders. It has no state between two calls.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// The verification code that the device will show, for people to compare, from the SHA-256
    /// digest of the message.
    fn verification_code(&self, sha256: &[u8; 32]) -> String;

    /// Asks a person's device to authenticate its holder.
    async fn request_authentication(
        &self,
        request: AuthenticationRequest<'_>,
    ) -> Result<ProviderSession, EidError>;

    /// Polls the session: returns at once when its state changes, and after `wait` otherwise.
    /// Unless the error is transient, the session is over. The proof is not verified here.
    async fn poll_authentication(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<AuthenticationProof>, EidError>;
}

/// The person to authenticate, and the message.
#[derive(Clone, Copy)]
pub struct AuthenticationRequest<'r> {
    /// An ETSI EN 319 412-1 semantics identifier.
    pub person: &'r str,
    /// Phone number, if the provider needs it.
    pub phone_number: Option<&'r str>,
    /// The message that binds the answer to this request; its SHA-256 digest goes to the provider.
    pub message: &'r [u8],
    /// Name of the relying party. The device shows as much of it as fits.
    pub relying_party: &'r str,
}

/// A device's answer.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct AuthenticationProof {
    /// The person's authentication certificate, DER.
    #[serde(with = "As::<Base64>")]
    pub certificate: Vec<u8>,
    /// The signed message, hashed with SHA-256.
    #[serde(with = "As::<Base64>")]
    pub message: Vec<u8>,
    /// Signature scheme.
    pub scheme: ProofScheme,
    /// The signature: for ECDSA an `ECDSA-Sig-Value` in DER.
    #[serde(with = "As::<Base64>")]
    pub value: Vec<u8>,
    /// Digest of the verifier with which the app returns, if it was opened on the device that shows
    /// the page. The answer counts only with that verifier.
    pub user_challenge: Option<String>,
}

impl AuthenticationProof {
    /// Returns true if this is the verifier with which the app returns.
    #[must_use]
    pub fn admits_verifier(&self, verifier: &str) -> bool {
        let challenge = user_challenge(verifier);
        let own = self.user_challenge.as_deref();
        own.is_some_and(|own| own.as_bytes().ct_eq(challenge.as_bytes()).into())
    }
}

impl fmt::Debug for AuthenticationProof {
    /// Omits the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticationProof")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

/// Signature scheme of a device over a SHA-256 digest.
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
