use serde_json::{Value, json};

const ORDER: &str = "0192f7a0-6b1c-7c3e-9a4d-2f5b8e1c7d90";

/// The example of a request or a view of these operations, by its schema's name.
#[must_use]
pub fn example(schema: &str) -> Option<Value> {
    Some(match schema {
        "CreateKycPackageRequest" => json!({
            "entityCode": "999000009",
            "subjectRole": "manager",
            "purpose": "AML_KYC",
            "delivery": "link",
            "callbackUrl": "https://caller.example/kyc",
        }),
        "SimulateKycPackageRequest" => json!({"action": "complete"}),
        _ => return None,
    })
}

/// What the callback is posted, by the name of the event.
pub(super) fn event(name: &str) -> Value {
    let (status, reason) = match name {
        "kyc.delivered" => ("delivered", None),
        "kyc.identity_mismatch" => ("identity_mismatch", None),
        "kyc.refused" => ("refused", Some("subject_declined")),
        "kyc.expired" => ("expired", None),
        _ => ("failed", None),
    };
    let mut event = json!({
        "event": name,
        "orderId": ORDER,
        "status": status,
        "statusReason": reason,
        "entityCode": "999000009",
        "occurredAt": "2026-11-21T12:40:00.000Z",
    });
    if status == "delivered" {
        event["artifact"] = json!({
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "bytes": 184320,
            "mimeType": "application/vnd.etsi.asic-e+zip",
        });
    }
    event
}
