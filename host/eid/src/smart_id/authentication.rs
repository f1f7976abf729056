//! A person authenticates, asked by notification or by a device link (`ACSP_V2`).

use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::client::{LONGEST_SIGNATURE, check_flow, decode};
use super::wire::{
    self, ACSP_V2, Approach, AskedAuthentication, DeviceLinkAnswer, PssParameters, RSASSA_PSS,
    SHA_256, SessionAnswer,
};
use super::{
    CallbackUrl, DeviceLinkSession, DisplayText, FlowType, Interaction, Interactions,
    InvalidAnswer, SemanticsIdentifier, SessionId, SmartIdClient, SmartIdConfig, SmartIdError,
    exchange,
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

/// A running authentication, with what its answer is made of.
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

    /// Whom it is for stands in every text: in the long one whole, and in the short
    /// one of apps that know nothing else.
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
        let payload = Payload {
            config: &self.config,
            session,
            server_random: server_random(signature.server_random.as_deref())?,
            user_challenge,
            interaction,
            flow,
        };
        let message = payload.text().into_bytes();
        let value = decode(signature.value.as_deref(), LONGEST_SIGNATURE)
            .ok_or(InvalidAnswer::Member("signature value"))?;
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

/// Whether these are the parameters that were asked for.
fn are_expected(parameters: &PssParameters) -> bool {
    let mask = &parameters.mask_gen_algorithm;
    parameters.hash_algorithm == SHA_256
        && mask.algorithm == "id-mgf1"
        && mask.parameters.hash_algorithm == SHA_256
        && parameters.salt_length == SALT_OCTETS
        && parameters.trailer_field == "0xbc"
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

/// What the device has signed.
struct Payload<'p> {
    config: &'p SmartIdConfig,
    session: &'p AuthenticationSession,
    server_random: &'p str,
    user_challenge: &'p str,
    interaction: &'p str,
    flow: FlowType,
}

impl Payload<'_> {
    fn text(&self) -> String {
        let (config, asked) = (self.config, &self.session.asked);
        let broker = asked.brokered.as_deref();
        // A code to scan and a notification have no callback.
        let callback = self.session.callback.as_deref();
        let callback = callback.filter(|_| self.flow.is_same_device());
        [
            config.scheme_name.as_str(),
            ACSP_V2,
            self.server_random,
            &asked.rp_challenge,
            self.user_challenge,
            &STANDARD.encode(&config.relying_party_name),
            &broker.map(|name| STANDARD.encode(name)).unwrap_or_default(),
            &STANDARD.encode(Sha256::digest(&asked.interactions)),
            self.interaction,
            callback.unwrap_or_default(),
            self.flow.name(),
        ]
        .join("|")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// The challenge, interactions and random values of a genuine session of the
    /// provider's demo environment, as its Java client tests them.
    #[test]
    fn the_payload_is_as_the_device_makes_it() {
        let config = SmartIdConfig::new(
            "https://sid.demo.sk.ee/smart-id-rp".parse().unwrap(),
            Uuid::nil(),
            "DEMO",
            "smart-id-demo",
        );
        let session: AuthenticationSession = serde_json::from_value(serde_json::json!({
            "id": "00000000-0000-4000-8000-000000000000",
            "rp_challenge": "3mhDkd0ulDR/WVZx678FcrNw4pUhrZxcQsmejf8jQ1HtSp3GAxCH/Fi9EEiuULp44G/KNKONPXZELqCSZw4AoA==",
            "interactions": "W3sidHlwZSI6ImRpc3BsYXlUZXh0QW5kUElOIiwiZGlzcGxheVRleHQ2MCI6IkxvZyBpbiB3aXRoIFNtYXJ0LUlEIGRlbW8/In1d",
        }))
        .unwrap();
        let payload = Payload {
            config: &config,
            session: &session,
            server_random: "9eZeWMTJ9YYBtjj5jK8p1sLm",
            user_challenge: "RvrVNS1GJYCsuEnEqPCdHHn5vl65F3XiBjmxB4zSosw",
            interaction: "displayTextAndPIN",
            flow: FlowType::Notification,
        };

        let text = payload.text();

        let fields: Vec<_> = text.split('|').collect();
        assert_eq!(fields.len(), 11);
        assert_eq!(
            fields[0..3],
            ["smart-id-demo", "ACSP_V2", "9eZeWMTJ9YYBtjj5jK8p1sLm"]
        );
        assert_eq!(fields[5..7], ["REVNTw==", ""]);
        assert_eq!(fields[8..], ["displayTextAndPIN", "", "Notification"]);
    }

    /// The published example, of a broker and on the same device.
    #[test]
    fn the_published_digest_of_a_payload_is_made() {
        let config = SmartIdConfig::new(
            "https://rp-api.smart-id.com".parse().unwrap(),
            Uuid::nil(),
            "DEMO",
            "smart-id",
        );
        let interactions = concat!(
            r#"[{"type":"confirmationMessage","displayText200":"Longer description of the transaction context"},"#,
            r#"{"type":"displayTextAndPIN","displayText60":"Short description of the transaction context"}]"#
        );
        let session: AuthenticationSession = serde_json::from_value(serde_json::json!({
            "id": "00000000-0000-4000-8000-000000000000",
            "rp_challenge": "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==",
            "interactions": STANDARD.encode(interactions),
            "brokered": "Example RP",
            "flows": ["QR", "Web2App"],
            "callback": "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ",
        }))
        .unwrap();
        let payload = Payload {
            config: &config,
            session: &session,
            server_random: "MTlop6EXCrQ6FOErcKjxUhbV",
            user_challenge: "GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00",
            interaction: "confirmationMessage",
            flow: FlowType::Web2App,
        };

        let digest = sha2::Sha512::digest(payload.text());

        let published = "pKOjbNl/5Fy8NfrFqsj6pSn8W8O+Ik8rM33QSsbyD3J9qDJvEm90SboUciuY4wHGWa0Pnq8BgT3NJKmJiUDfKg==";
        assert_eq!(STANDARD.encode(digest), published);
    }

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
