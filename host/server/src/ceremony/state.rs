//! The ceremony's state as JSON.

use parafa_api_signing::views::date_time;
use parafa_domain::{Language, SigningMethod};
use parafa_platform::accounts::KeyMode;
use parafa_signing::attempt::DeviceLink;
use parafa_signing::ceremony::CeremonyState;
use parafa_signing::records::AttemptRow;
use serde::Serialize;

use super::texts::failure_message;

/// What `GET /c/{token}/state` answers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StateView {
    signing: SigningPart,
    signer: SignerPart,
    document: DocumentPart,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<AttemptPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    busy: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SigningPart {
    title: String,
    tenant: String,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SignerPart {
    name: Option<String>,
    language: Language,
    methods_allowed: Vec<SigningMethod>,
    status: parafa_domain::SignerStatus,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentPart {
    name: String,
    sha256: String,
    bytes: u64,
    mime_type: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptPart {
    method: SigningMethod,
    phase: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_link: Option<DeviceLinkPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorPart>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DeviceLinkPart {
    qr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_device: Option<String>,
}

#[derive(Debug, Serialize)]
struct ErrorPart {
    code: &'static str,
    message: &'static str,
}

impl StateView {
    /// The state as its signer may see it; none when there is no document.
    pub(super) fn new(state: CeremonyState) -> Option<Self> {
        let document = state.opened.row.newest()?.clone();
        let language = state.party.language;
        Some(Self {
            signing: SigningPart {
                title: state.opened.private.title,
                tenant: state.tenant,
                expires_at: date_time(state.opened.row.signing.expires_at),
                sandbox: (state.opened.row.mode == KeyMode::Test).then_some(true),
            },
            signer: SignerPart {
                name: state.name,
                language,
                methods_allowed: state.party.methods.iter().collect(),
                status: state.party.status,
            },
            document: DocumentPart {
                name: state.opened.private.document_name,
                sha256: document.sha256,
                bytes: document.bytes,
                mime_type: document.media_type,
            },
            attempt: state
                .attempt
                .map(|attempt| AttemptPart::new(attempt, state.device_link, language)),
            busy: state.busy.then_some(true),
        })
    }
}

impl AttemptPart {
    fn new(attempt: AttemptRow, device_link: Option<DeviceLink>, language: Language) -> Self {
        Self {
            method: attempt.method,
            phase: attempt.phase.name(),
            verification_code: attempt.verification_code,
            device_link: device_link.map(|link| DeviceLinkPart {
                qr: link.qr,
                same_device: link.same_device,
            }),
            error: attempt.failure.map(|failure| ErrorPart {
                code: failure.code(),
                message: failure_message(failure, language),
            }),
        }
    }
}
