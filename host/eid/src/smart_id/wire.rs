//! Bodies of requests and answers. Members that are not listed are ignored in
//! answers, as the protocol demands.

use parafa_eid_protocols::smart_id::algorithm::{RSASSA_PSS, SHA_256};
use parafa_eid_protocols::smart_id::{ACSP_V2, RAW_DIGEST_SIGNATURE};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    CertificateLevel, DigestToSign, FlowType, Interactions, Nonce, SessionId, SmartIdConfig,
};

/// Texts of an authentication request: its answer, and the links that lead to it, are bound to
/// exactly these.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct AskedAuthentication {
    /// Base64.
    pub(super) rp_challenge: String,
    /// Base64.
    pub(super) interactions: String,
    /// Party on whose behalf a broker asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) brokered: Option<String>,
}

/// The relying party's part of every request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RelyingParty<'r> {
    #[serde(rename = "relyingPartyUUID")]
    relying_party_uuid: Uuid,
    relying_party_name: &'r str,
    #[serde(rename = "brokeredRpName", skip_serializing_if = "Option::is_none")]
    brokered_relying_party_name: Option<&'r str>,
    certificate_level: CertificateLevel,
}

impl<'r> RelyingParty<'r> {
    fn of(config: &'r SmartIdConfig) -> Self {
        Self::brokered(config, None)
    }

    fn brokered(config: &'r SmartIdConfig, brokered: Option<&'r str>) -> Self {
        Self {
            relying_party_uuid: config.relying_party_uuid,
            relying_party_name: &config.relying_party_name,
            brokered_relying_party_name: brokered,
            certificate_level: config.certificate_level,
        }
    }
}

/// Request for a certificate choice.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CertificateRequest<'r> {
    #[serde(flatten)]
    relying_party: RelyingParty<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_callback_url: Option<&'r str>,
    nonce: &'r Nonce,
}

impl<'r> CertificateRequest<'r> {
    pub(super) fn new(
        config: &'r SmartIdConfig,
        nonce: &'r Nonce,
        initial_callback_url: Option<&'r str>,
    ) -> Self {
        Self {
            relying_party: RelyingParty::of(config),
            initial_callback_url,
            nonce,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignatureRequest<'r> {
    #[serde(flatten)]
    relying_party: RelyingParty<'r>,
    signature_protocol: &'static str,
    signature_protocol_parameters: SignatureProtocolParameters,
    #[serde(rename = "linkedSessionID", skip_serializing_if = "Option::is_none")]
    linked_session_id: Option<SessionId>,
    interactions: &'r str,
    nonce: &'r Nonce,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignatureProtocolParameters {
    digest: String,
    signature_algorithm: &'static str,
}

impl<'r> SignatureRequest<'r> {
    pub(super) fn new(
        config: &'r SmartIdConfig,
        digest: &DigestToSign,
        linked_session_id: Option<SessionId>,
        interactions: &'r Interactions,
        nonce: &'r Nonce,
    ) -> Self {
        Self {
            relying_party: RelyingParty::of(config),
            signature_protocol: RAW_DIGEST_SIGNATURE,
            signature_protocol_parameters: SignatureProtocolParameters {
                digest: digest.to_base64(),
                signature_algorithm: digest.algorithm().name(),
            },
            linked_session_id,
            interactions: interactions.as_base64(),
            nonce,
        }
    }
}

/// Request for an authentication.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuthenticationRequest<'r> {
    #[serde(flatten)]
    relying_party: RelyingParty<'r>,
    signature_protocol: &'static str,
    signature_protocol_parameters: AuthenticationParameters<'r>,
    interactions: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_callback_url: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vc_type: Option<&'static str>,
}

/// Path of an authentication to the person.
pub(super) enum Approach<'r> {
    Notification,
    DeviceLink { callback: Option<&'r str> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthenticationParameters<'r> {
    rp_challenge: &'r str,
    signature_algorithm: &'static str,
    signature_algorithm_parameters: HashParameter,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HashParameter {
    hash_algorithm: &'static str,
}

impl<'r> AuthenticationRequest<'r> {
    pub(super) fn new(
        config: &'r SmartIdConfig,
        asked: &'r AskedAuthentication,
        approach: &Approach<'r>,
    ) -> Self {
        let (initial_callback_url, vc_type) = match approach {
            Approach::Notification => (None, Some("numeric4")),
            Approach::DeviceLink { callback } => (*callback, None),
        };
        Self {
            relying_party: RelyingParty::brokered(config, asked.brokered.as_deref()),
            signature_protocol: ACSP_V2,
            signature_protocol_parameters: AuthenticationParameters {
                rp_challenge: &asked.rp_challenge,
                signature_algorithm: RSASSA_PSS,
                signature_algorithm_parameters: HashParameter {
                    hash_algorithm: SHA_256,
                },
            },
            interactions: &asked.interactions,
            initial_callback_url,
            vc_type,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct SessionAnswer {
    #[serde(rename = "sessionID")]
    pub(super) session_id: SessionId,
}

#[derive(Deserialize)]
pub(super) struct SignatureAnswer {
    #[serde(rename = "sessionID")]
    pub(super) session_id: SessionId,
    pub(super) vc: CodeAnswer,
}

#[derive(Deserialize)]
pub(super) struct CodeAnswer {
    pub(super) r#type: String,
    pub(super) value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeviceLinkAnswer {
    #[serde(rename = "sessionID")]
    pub(super) session_id: SessionId,
    pub(super) session_token: String,
    pub(super) session_secret: String,
    pub(super) device_link_base: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusAnswer {
    pub(super) state: String,
    pub(super) result: Option<SessionResult>,
    pub(super) signature_protocol: Option<String>,
    pub(super) signature: Option<Signature>,
    pub(super) cert: Option<Certificate>,
    pub(super) interaction_type_used: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionResult {
    pub(super) end_result: String,
    pub(super) document_number: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Signature {
    pub(super) value: Option<String>,
    pub(super) signature_algorithm: Option<String>,
    pub(super) flow_type: Option<FlowType>,
    pub(super) server_random: Option<String>,
    pub(super) user_challenge: Option<String>,
    pub(super) signature_algorithm_parameters: Option<PssParameters>,
}

/// The parameters of RSASSA-PSS (RFC 8017, A.2.3).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PssParameters {
    pub(super) hash_algorithm: String,
    pub(super) mask_gen_algorithm: MaskGeneration,
    pub(super) salt_length: u32,
    pub(super) trailer_field: String,
}

#[derive(Deserialize)]
pub(super) struct MaskGeneration {
    pub(super) algorithm: String,
    pub(super) parameters: MaskGenerationParameters,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MaskGenerationParameters {
    pub(super) hash_algorithm: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Certificate {
    pub(super) value: String,
    pub(super) certificate_level: CertificateLevel,
}

/// The problem document of a refused request, as far as it names no values.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Refusal {
    pub(super) errors: Vec<RefusalReason>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RefusalReason {
    pub(super) code: Option<String>,
    pub(super) param_name: Option<String>,
    pub(super) pointer: Option<String>,
}
