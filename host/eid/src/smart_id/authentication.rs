//! Authentication by notification or by a device link (`ACSP_V2`).

use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_eid_protocols::smart_id::algorithm::{MGF1, RSASSA_PSS, SHA_256, TRAILER_FIELD};
use parafa_eid_protocols::smart_id::{ACSP_V2, AcspV2Payload};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::client::{check_flow, signature_value};
use super::wire::{
    self, Approach, AskedAuthentication, DeviceLinkAnswer, PssParameters, SessionAnswer,
};
use super::{
    CallbackUrl, DeviceLinkSession, DisplayText, FlowType, Interaction, Interactions,
    InvalidAnswer, SemanticsIdentifier, SessionId, SmartIdClient, SmartIdError, exchange,
};
use crate::authentication::{
    AuthenticationProof, AuthenticationRequest, Authenticator, ProofScheme,
};
use crate::display::login_text;
use crate::provider::{
    EidError, LinkedAuthentication, OpenedChoice, ProviderSession, SessionState,
};

/// Octets of the salt: as many as the digest has.
const SALT_OCTETS: u32 = 32;
/// Lengths of `serverRandom`, base64, in characters; the service's own shortest
/// one.
const SERVER_RANDOM: RangeInclusive<usize> = 24..=256;
/// Length of `userChallenge`, a SHA-256 digest in base64url, in characters.
const USER_CHALLENGE: usize = 43;

/// A running authentication, with the data that its answer is checked against.
#[derive(Deserialize, Serialize)]
struct AuthenticationSession {
    id: SessionId,
    #[serde(flatten)]
    asked: AskedAuthentication,
    #[serde(default = "by_notification")]
    flows: Vec<FlowType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    callback: Option<String>,
}

fn by_notification() -> Vec<FlowType> {
    vec![FlowType::Notification]
}

#[async_trait]
impl Authenticator for SmartIdClient {
    fn verification_code(&self, sha256: &[u8; 32]) -> String {
        crate::card::verification_code_of(sha256)
    }

    async fn request_authentication(
        &self,
        request: AuthenticationRequest<'_>,
    ) -> Result<ProviderSession, EidError> {
        let person: SemanticsIdentifier = request.person.parse().map_err(EidError::unusable)?;
        let long = Interaction::ConfirmationMessageAndVerificationCodeChoice;
        let asked = self.asked(request.message, request.relying_party, long)?;
        let path = format!("authentication/notification/etsi/{}", person.expose());
        let body = wire::AuthenticationRequest::new(&self.config, &asked, &Approach::Notification);
        let answer: SessionAnswer = exchange::post(&*self.port, &self.config, &path, &body).await?;
        ProviderSession::of(&AuthenticationSession {
            id: answer.session_id,
            asked,
            flows: by_notification(),
            callback: None,
        })
    }

    async fn poll_authentication(
        &self,
        session: &ProviderSession,
        wait: Duration,
    ) -> Result<SessionState<AuthenticationProof>, EidError> {
        let session: AuthenticationSession = session.read()?;
        let proof = self.poll_proof(&session, wait).await?;
        Ok(proof.map_or(SessionState::Running, SessionState::Complete))
    }
}

impl SmartIdClient {
    /// [`DeviceLinks::open_authentication`](crate::DeviceLinks::open_authentication).
    pub(super) async fn open_linked_authentication(
        &self,
        request: LinkedAuthentication<'_>,
    ) -> Result<OpenedChoice, EidError> {
        let callback = CallbackUrl::new(request.callback, request.random).ok();
        let long = Interaction::ConfirmationMessage;
        let asked = self.asked(request.message, request.relying_party, long)?;
        let approach = Approach::DeviceLink {
            callback: callback.as_ref().map(CallbackUrl::as_str),
        };
        let path = "authentication/device-link/anonymous";
        let body = wire::AuthenticationRequest::new(&self.config, &asked, &approach);
        let answer: DeviceLinkAnswer =
            exchange::post(&*self.port, &self.config, path, &body).await?;
        let link = DeviceLinkSession::new(answer, callback, Some(asked.clone()));
        let link = link.map_err(SmartIdError::from)?;
        let session = AuthenticationSession {
            id: link.session.id,
            asked,
            flows: link.session.flows.clone(),
            callback: link.callback().map(str::to_owned),
        };
        Ok(OpenedChoice {
            session: ProviderSession::of(&session)?,
            choice: ProviderSession::of(&link)?,
        })
    }

    /// Both texts name the relying party: the long one in full, and the short one for apps that
    /// support no other.
    fn asked(
        &self,
        message: &[u8],
        relying_party: &str,
        long: fn(DisplayText<200>) -> Interaction,
    ) -> Result<AskedAuthentication, EidError> {
        let text = login_text(relying_party);
        let whole = DisplayText::shortened(&text).map_err(EidError::unusable)?;
        let short = DisplayText::shortened(&text).map_err(EidError::unusable)?;
        let interactions = Interactions::new(&[long(whole), Interaction::DisplayTextAndPin(short)]);
        let interactions = interactions.map_err(EidError::unusable)?;
        Ok(AskedAuthentication {
            rp_challenge: STANDARD.encode(Sha256::digest(message)),
            interactions: interactions.as_base64().to_owned(),
            brokered: self.config.is_broker.then(|| relying_party.to_owned()),
        })
    }

    async fn poll_proof(
        &self,
        session: &AuthenticationSession,
        wait: Duration,
    ) -> Result<Option<AuthenticationProof>, SmartIdError> {
        let Some((answer, document_number)) = self.poll(session.id, wait).await? else {
            return Ok(None);
        };
        if answer.signature_protocol.as_deref() != Some(ACSP_V2) {
            return Err(InvalidAnswer::Protocol.into());
        }
        let signature = answer.signature.ok_or(InvalidAnswer::Member("signature"))?;
        let flow = signature
            .flow_type
            .ok_or(InvalidAnswer::Member("flowType"))?;
        check_flow(flow, &session.flows)?;
        let is_expected = signature.signature_algorithm.as_deref() == Some(RSASSA_PSS);
        let parameters = signature.signature_algorithm_parameters.as_ref();
        if !is_expected || !parameters.is_some_and(are_expected) {
            return Err(InvalidAnswer::Member("signatureAlgorithmParameters").into());
        }
        let interaction = answer.interaction_type_used.as_deref().unwrap_or_default();
        if !Interactions::offered(&session.asked.interactions, interaction) {
            return Err(InvalidAnswer::Interaction.into());
        }
        let user_challenge = user_challenge(signature.user_challenge.as_deref())?;
        let asked = &session.asked;
        let payload = AcspV2Payload {
            scheme_name: &self.config.scheme_name,
            server_random: server_random(signature.server_random.as_deref())?,
            rp_challenge: &asked.rp_challenge,
            user_challenge,
            relying_party_name: &self.config.relying_party_name,
            brokered_relying_party_name: asked.brokered.as_deref().unwrap_or_default(),
            interactions: &asked.interactions,
            interaction_type_used: interaction,
            initial_callback_url: session.callback.as_deref().unwrap_or_default(),
            flow,
        };
        let message = payload.text().into_bytes();
        let value = signature_value(signature.value.as_deref())?;
        let certificate = self.certificate(answer.cert, document_number)?;
        Ok(Some(AuthenticationProof {
            certificate: certificate.der,
            message,
            scheme: ProofScheme::RsaPss,
            value,
            user_challenge: flow.is_same_device().then(|| user_challenge.to_owned()),
        }))
    }
}

/// Returns true if the parameters are the requested ones.
fn are_expected(parameters: &PssParameters) -> bool {
    let mask = &parameters.mask_gen_algorithm;
    parameters.hash_algorithm == SHA_256
        && mask.algorithm == MGF1
        && mask.parameters.hash_algorithm == SHA_256
        && parameters.salt_length == SALT_OCTETS
        && parameters.trailer_field == TRAILER_FIELD
}

/// The service's random value, used as it was received.
fn server_random(value: Option<&str>) -> Result<&str, InvalidAnswer> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let value =
        value.filter(|value| SERVER_RANDOM.contains(&value.len()) && value.bytes().all(is_base64));
    value.ok_or(InvalidAnswer::Member("serverRandom"))
}

/// The digest of the app's random value, used as it was received.
fn user_challenge(value: Option<&str>) -> Result<&str, InvalidAnswer> {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let value =
        value.filter(|value| value.len() == USER_CHALLENGE && value.bytes().all(is_base64url));
    value.ok_or(InvalidAnswer::Member("userChallenge"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_are_as_long_as_the_protocol_has_them_and_in_its_alphabets() {
        let (random, challenge) = ("MTlop6EXCrQ6FOErcKjxUhbV", "x".repeat(43));

        assert!(server_random(Some(random)).is_ok());
        assert!(user_challenge(Some(&challenge)).is_ok());
        for value in [
            &random[1..],
            &random.replace('M', "|"),
            &random.repeat(11),
            "",
        ] {
            assert!(server_random(Some(value)).is_err(), "{value}");
        }
        for value in [
            &challenge[1..],
            &"x".repeat(44),
            &challenge.replacen('x', "+", 1),
        ] {
            assert!(user_challenge(Some(value)).is_err(), "{value}");
        }
        assert!(server_random(None).is_err() && user_challenge(None).is_err());
    }
}
