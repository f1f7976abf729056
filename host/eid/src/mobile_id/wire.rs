//! Bodies of requests and answers. Members that are not listed are ignored in
//! answers, as the protocol demands.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{DisplayText, Language, MobileIdConfig, MobileIdUser};

/// The one kind of digests that are signed.
const SHA256: &str = "SHA256";

/// Request for a certificate, and the common part of the other requests.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UserRequest<'r> {
    relying_party_name: &'r str,
    #[serde(rename = "relyingPartyUUID")]
    relying_party_uuid: Uuid,
    #[serde(flatten)]
    user: &'r MobileIdUser,
}

impl<'r> UserRequest<'r> {
    pub(super) fn new(config: &'r MobileIdConfig, user: &'r MobileIdUser) -> Self {
        Self {
            relying_party_name: &config.relying_party_name,
            relying_party_uuid: config.relying_party_uuid,
            user,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignatureRequest<'r> {
    #[serde(flatten)]
    user: UserRequest<'r>,
    hash: &'r str,
    hash_type: &'static str,
    language: &'static str,
    display_text: &'r str,
    display_text_format: &'static str,
}

impl<'r> SignatureRequest<'r> {
    pub(super) fn new(
        user: UserRequest<'r>,
        sha256_base64: &'r str,
        text: &'r DisplayText,
        language: Language,
    ) -> Self {
        Self {
            user,
            hash: sha256_base64,
            hash_type: SHA256,
            language: language.name(),
            display_text: text.as_str(),
            display_text_format: text.format(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct CertificateAnswer {
    pub(super) result: String,
    pub(super) cert: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SessionAnswer {
    #[serde(rename = "sessionID")]
    pub(super) session_id: String,
}

#[derive(Deserialize)]
pub(super) struct StatusAnswer {
    pub(super) state: String,
    pub(super) result: Option<String>,
    pub(super) signature: Option<Signature>,
    /// Certificate of an authentication.
    pub(super) cert: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Signature {
    pub(super) value: String,
    pub(super) algorithm: String,
}

/// The body of a refused request, without its sentence: that may repeat values
/// that were sent.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Refusal {
    pub(super) trace_id: String,
}
