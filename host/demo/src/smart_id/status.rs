//! The body of a session status.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use parafa_eid_protocols::smart_id::{ACSP_V2, FlowType, RAW_DIGEST_SIGNATURE, end_result::OK};
use serde_json::{Value, json};

use super::{
    account::AccountCredential,
    end_result::EndResult,
    session::{Ending, Progress, RandomPart, Session, Task},
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
            "result": { "endResult": OK, "documentNumber": account.document_number() },
            "signature": { "flowType": flow.name() },
            "cert": certificate(credential),
        }),
        Ending::Signed {
            account,
            credential,
            flow,
            interaction,
            signature,
            random,
        } => json!({
            "state": "COMPLETE",
            "result": { "endResult": OK, "documentNumber": account.document_number() },
            "signatureProtocol": match session.task {
                Task::Authentication(_) => ACSP_V2,
                _ => RAW_DIGEST_SIGNATURE,
            },
            "signature": signature_object(&session.task, *flow, signature, random.as_ref()),
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

/// `cert` of an answer: only the end entity's certificate.
pub(super) fn certificate(credential: &AccountCredential) -> Value {
    json!({
        "value": credential.certificate,
        "certificateLevel": credential.level,
    })
}

fn signature_object(
    task: &Task,
    flow: FlowType,
    signature: &[u8],
    random: Option<&RandomPart>,
) -> Value {
    let mut object = json!({
        "value": STANDARD.encode(signature),
        "flowType": flow.name(),
    });
    let algorithm = match task {
        Task::Signature(request) => Some(request.algorithm),
        Task::Authentication(request) => Some(request.algorithm),
        Task::CertificateChoice(_) => None,
    };
    if let Some(algorithm) = algorithm {
        object["signatureAlgorithm"] = json!(algorithm.name());
        if let Some(parameters) = algorithm.parameters() {
            object["signatureAlgorithmParameters"] = parameters;
        }
    }
    if let Some(random) = random {
        object["serverRandom"] = json!(random.server_random);
        object["userChallenge"] = json!(random.user_challenge);
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
