use parafa_api_http::{BaseUrl, deliveries};
use serde_json::{Value, json};

use super::vocabulary::KycEventKind;

const ORDER: &str = "0192f7a0-6b1c-7c3e-9a4d-2f5b8e1c7d90";

/// The example of a request or a view of one of these operations, by its
/// schema's name.
#[must_use]
pub fn example(call: &str, schema: &str, base_url: &BaseUrl) -> Option<Value> {
    Some(match schema {
        "CreateKycPackageRequest" => json!({
            "entityCode": "999000009",
            "subjectRole": "manager",
            "purpose": "AML_KYC",
            "delivery": "link",
            "callbackUrl": "https://caller.example/kyc",
        }),
        "SimulateKycPackageRequest" => json!({"action": "complete"}),
        "ErasedKycOrder" => json!({"orderId": ORDER, "deleted": true, "changed": true}),
        "KycOrder" => match call {
            "createKycPackage" => awaiting(base_url),
            "simulateKycPackage" => delivered("0.00", true, base_url),
            _ => delivered("24.99", false, base_url),
        },
        _ => return deliveries::example(call, schema, KycEventKind::Delivered.as_str()),
    })
}

fn awaiting(base_url: &BaseUrl) -> Value {
    json!({
        "orderId": ORDER,
        "status": "awaiting_subject",
        "statusReason": null,
        "entityCode": "999000009",
        "subjectRole": "manager",
        "purpose": "AML_KYC",
        "delivery": "link",
        "ceremonyUrl": base_url.join("/c/q3Jx2mFqvT8cS0bN5hW1yLkZr9uEo7dApGiVtX4Ks6M"),
        "createdAt": "2026-11-21T12:00:00.000Z",
        "updatedAt": "2026-11-21T12:00:00.000Z",
        "expiresAt": "2026-12-05T12:00:00.000Z",
        "deliveredAt": null,
        "reverification": null,
        "price": null,
        "artifact": null,
        "erasedAt": null,
        "sandbox": false,
    })
}

fn delivered(price: &str, sandbox: bool, base_url: &BaseUrl) -> Value {
    let mut order = awaiting(base_url);
    order["status"] = "delivered".into();
    order["ceremonyUrl"] = Value::Null;
    order["updatedAt"] = "2026-11-21T12:40:00.000Z".into();
    order["deliveredAt"] = "2026-11-21T12:40:00.000Z".into();
    order["reverification"] = false.into();
    order["price"] = json!({"amount": price, "currency": "EUR"});
    order["artifact"] = artifact();
    order["sandbox"] = sandbox.into();
    order
}

fn artifact() -> Value {
    json!({
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "bytes": 184_320,
        "mimeType": "application/vnd.etsi.asic-e+zip",
    })
}

/// Body posted to the callback, by the name of the event.
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
        event["artifact"] = artifact();
    }
    event
}
