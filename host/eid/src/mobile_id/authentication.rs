//! A person authenticates with their SIM.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;
use sha2::{Digest, Sha256};

use super::provider::NoPhoneNumber;
use super::{
    DisplayText, Language, MobileIdClient, MobileIdUser, SignatureSession, verification_code,
};
use crate::authentication::{
    AuthenticationProof, AuthenticationRequest, Authenticator, ProofScheme,
};
use crate::display::login_text;
use crate::provider::{EidError, ProviderSession, SessionState, SignerOutcome};

/// A running authentication, with its message.
#[derive(Deserialize, Serialize)]
struct AuthenticationSession {
    session: SignatureSession,
    #[serde(with = "As::<Base64>")]
    message: Vec<u8>,
}

#[async_trait]
impl Authenticator for MobileIdClient {
    fn verification_code(&self, sha256: &[u8; 32]) -> String {
        verification_code(sha256)
    }

    async fn request_authentication(
        &self,
        request: AuthenticationRequest<'_>,
    ) -> Result<ProviderSession, EidError> {
        let phone = request.phone_number;
        let phone = phone.ok_or_else(|| EidError::unusable(NoPhoneNumber))?;
        let no_account = |error| EidError::new(SignerOutcome::NoAccount, false, error);
        let user = MobileIdUser::new(request.person, phone).map_err(no_account)?;
        let text =
            DisplayText::fitting(&login_text(request.relying_party)).map_err(EidError::unusable)?;
        let sha256 = Sha256::digest(request.message).into();
        let session = self
            .start_authentication(&user, &sha256, &text, Language::Lithuanian)
            .await?;
        ProviderSession::of(&AuthenticationSession {
            session,
            message: request.message.to_vec(),
        })
    }

    async fn poll_authentication(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<AuthenticationProof>, EidError> {
        let AuthenticationSession { session, message } = session.read()?;
        Ok(match self.poll_authentication(&session, wait).await? {
            SessionState::Running => SessionState::Running,
            SessionState::Complete(answer) => SessionState::Complete(AuthenticationProof {
                certificate: answer.certificate,
                message,
                scheme: match answer.is_rsa {
                    true => ProofScheme::RsaPkcs1,
                    false => ProofScheme::Ecdsa,
                },
                value: answer.value,
                user_challenge: None,
            }),
        })
    }
}
