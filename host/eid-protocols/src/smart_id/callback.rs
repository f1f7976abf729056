//! Parameters with which the app returns (`callback_urls.html`).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// `sessionSecretDigest` of a session's secret.
#[must_use]
pub fn session_secret_digest(secret: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret))
}

/// `userChallenge` of a `userChallengeVerifier`: of its text.
#[must_use]
pub fn user_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

#[cfg(test)]
mod tests {
    use super::super::published::{USER_CHALLENGE, session_secret};
    use super::*;

    #[test]
    fn the_published_digest_of_a_secret_is_made() {
        assert_eq!(
            session_secret_digest(&session_secret()),
            "U4CKK13H1XFiyBofev9asqrzIrY5_Gszi_nL_zDKkBc"
        );
    }

    #[test]
    fn the_published_challenge_of_a_verifier_is_made() {
        let verifier = "XtPfaGa8JnGtYrJjboooUf0KfY9sMEHrWFpSQrsUv9c";
        assert_eq!(user_challenge(verifier), USER_CHALLENGE);
    }
}
