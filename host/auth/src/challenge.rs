//! The canonical challenge, and the data to be signed that are derived from it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use parafa_store::keys::KeyError;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The challenge that a person answers by a signature: for whom, and when.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Challenge {
    /// The request.
    pub request: Uuid,
    /// The origin for which the person authenticates.
    pub audience: String,
    /// 32 random bytes as base64url without padding.
    pub nonce: String,
}

impl Challenge {
    /// Version of the derivation of the data to be signed.
    pub const PROFILE: &str = "parafa-auth:1";

    const NONCE_BYTES: usize = 32;

    /// Returns a new nonce.
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn random_nonce() -> Result<String, KeyError> {
        let mut bytes = [0; Self::NONCE_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| KeyError::Random)?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Returns the data for a card to sign, given its certificate in DER.
    #[must_use]
    pub fn dtbs(&self, certificate: &[u8]) -> Dtbs {
        let parts = [
            &Sha256::digest(Self::PROFILE)[..],
            &Sha256::digest(&self.audience),
            &Sha256::digest(&self.nonce),
            &Sha256::digest(certificate),
            self.request.as_bytes(),
        ];
        Dtbs(parts.concat())
    }

    /// Returns the message for a provider's device, whose certificate is not
    /// known yet: the data without it. Its SHA-256 digest is the challenge in
    /// the provider's own protocol.
    #[must_use]
    pub fn without_certificate(&self) -> Vec<u8> {
        let parts = [
            &Sha256::digest(Self::PROFILE)[..],
            &Sha256::digest(&self.audience),
            &Sha256::digest(&self.nonce),
            self.request.as_bytes(),
        ];
        parts.concat()
    }
}

/// Data to be signed: 144 bytes, of parts of fixed lengths, so that no two
/// challenges have the same.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Dtbs(Vec<u8>);

impl Dtbs {
    /// Returns the bytes, which are hashed once with SHA-256 and signed.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the encoding in the API.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }

    /// Returns four digits for people to compare.
    #[must_use]
    pub fn verification_code(&self) -> String {
        parafa_eid::card::verification_code(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the test vector of `docs/authentication.md`.
    fn published() -> (Challenge, &'static [u8]) {
        let challenge = Challenge {
            request: "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f".parse().unwrap(),
            audience: "https://shop.example".to_owned(),
            nonce: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8".to_owned(),
        };
        (challenge, b"certificate")
    }

    #[test]
    fn the_published_vector_holds() {
        let (challenge, certificate) = published();

        let dtbs = challenge.dtbs(certificate);

        assert_eq!(dtbs.as_bytes().len(), 144);
        assert_eq!(
            hex::encode(dtbs.as_bytes()),
            concat!(
                "ad02ee60412f65a40ffd0759754f06b24c4a820783c583126de82f402282d9a3",
                "f617a4db4e7353d6b4cc51809771c3b098a4d110618e146d8a9d00d2d02434fc",
                "ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0",
                "03d66dd08835c1ca3f128cceacd1f31ac94163096b20f445ae84285bc0832d72",
                "0190b5a87c3e7d7b8f6e2a1b3c4d5e6f",
            )
        );
        assert_eq!(dtbs.verification_code(), "4839");
        assert_eq!(
            hex::encode(Sha256::digest(challenge.without_certificate())),
            "624a1c8b58601cf55d8dae3ddfdd208d54ea579a4f32df0a2b2b805452c08bfc"
        );
    }

    #[test]
    fn every_part_of_the_challenge_is_in_the_data() {
        let (challenge, certificate) = published();
        let dtbs = challenge.dtbs(certificate);
        let others = [
            Challenge {
                audience: "https://shop.example:8443".to_owned(),
                ..challenge.clone()
            },
            Challenge {
                nonce: Challenge::random_nonce().unwrap(),
                ..challenge.clone()
            },
            Challenge {
                request: Uuid::nil(),
                ..challenge.clone()
            },
        ];

        assert!(others.iter().all(|other| other.dtbs(certificate) != dtbs));
        assert_ne!(challenge.dtbs(b"another"), dtbs);
    }
}
