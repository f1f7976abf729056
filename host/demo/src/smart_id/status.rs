//! The body of a session status.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    account::AccountCredential,
    end_result::EndResult,
    session::{Ending, Flow, Progress, Session, Task},
};

/// `GET /session/{sessionID}`.
pub(super) fn status(session: &Session, progress: &Progress) -> Value {
    let Progress::Complete { ending, .. } = progress else {
        return json!({ "state": "RUNNING" });
    };
    let mut status = match &**ending {
        Ending::Failed(result) => failed(*result),
        Ending::Chosen {
            account,
            credential,
            flow,
        } => json!({
            "state": "COMPLETE",
            "result": { "endResult": "OK", "documentNumber": account.document_number() },
            "signature": { "flowType": flow.name() },
            "cert": certificate(credential),
        }),
        Ending::Signed {
            account,
            credential,
            flow,
            interaction,
            signature,
        } => json!({
            "state": "COMPLETE",
            "result": { "endResult": "OK", "documentNumber": account.document_number() },
            "signatureProtocol": "RAW_DIGEST_SIGNATURE",
            "signature": signature_object(&session.task, *flow, signature),
            "cert": certificate(credential),
            "interactionTypeUsed": interaction.name(),
        }),
    };
    let ignored = &session.task.envelope().ignored_properties;
    if !ignored.is_empty() {
        status["ignoredProperties"] = json!(ignored);
    }
    status
}

/// `cert` of an answer: the end entity alone, no chain.
pub(super) fn certificate(credential: &AccountCredential) -> Value {
    json!({
        "value": credential.certificate,
        "certificateLevel": credential.level,
    })
}

fn signature_object(task: &Task, flow: Flow, signature: &[u8]) -> Value {
    let mut object = json!({
        "value": STANDARD.encode(signature),
        "flowType": flow.name(),
    });
    if let Task::Signature(request) = task {
        object["signatureAlgorithm"] = json!(request.algorithm.name());
        if let Some(parameters) = request.algorithm.parameters() {
            object["signatureAlgorithmParameters"] = parameters;
        }
    }
    object
}

fn failed(result: EndResult) -> Value {
    let mut object = json!({ "endResult": result.name() });
    if let EndResult::UserRefusedInteraction(interaction) = result {
        object["details"] = json!({ "interaction": interaction.name() });
    }
    json!({ "state": "COMPLETE", "result": object })
}

impl Flow {
    fn name(self) -> &'static str {
        match self {
            Self::Link(link_type) => link_type.name(),
            Self::Notification => "Notification",
        }
    }
}
