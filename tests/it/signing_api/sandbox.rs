use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::account::{Account, NOBODY, of_signers, sign_first, signing_of, text, two, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn only_the_sandbox_simulates_whatever_the_id() {
    let demo = Demo::start();

    Account::live(&demo)
        .post(
            &format!("v1/signings/{NOBODY}/simulate"),
            json!({"action": "complete"}),
        )
        .await
        .expect_problem(403, "sandbox-only", &[]);
}

#[tokio::test]
async fn a_named_signer_declines_with_a_reason() {
    let demo = Demo::start();
    let api = Account::sandbox(&demo);
    let signing = api.create(signing_of(two())).await;
    let path = format!("v1/signings/{}/simulate", text(&signing, "signingId"));

    api.post(&path, json!({"action": "vanish"}))
        .await
        .expect_problem(400, "validation-failed", &["/action"]);
    api.post(
        &path,
        json!({"action": "decline", "signerEmail": "kita@example.lt"}),
    )
    .await
    .expect_problem(400, "validation-failed", &["/signerEmail"]);
    for action in ["complete", "expire"] {
        api.post(
            &path,
            json!({"action": action, "signerEmail": "kita@example.lt"}),
        )
        .await
        .expect_problem(400, "validation-failed", &["/signerEmail"]);
    }
    let body = json!({"action": "decline", "signerEmail": "Jonas@example.lt", "reason": "Klaida"});
    let declined = api.post(&path, body).await.expect(200);

    assert_eq!(declined["status"], "declined");
    assert_eq!(declined["completionMode"], Value::Null);
    assert_eq!(of_signers(&declined, "status"), ["cancelled", "declined"]);
    assert_eq!(declined["signers"][1]["declineReason"], "Klaida");
    assert!(declined["signers"][0].get("declineReason").is_none());
    for action in ["complete", "decline", "expire"] {
        api.post(&path, json!({"action": action}))
            .await
            .expect_problem(409, "signing-ended", &[]);
    }
}

#[tokio::test]
async fn the_first_signer_declines_where_none_is_named_and_a_deadline_can_be_made_to_pass() {
    let demo = Demo::start();
    let api = Account::sandbox(&demo);
    let members = json!({"signingOrder": "sequential"});

    let signing = api.create(with(signing_of(two()), members)).await;
    let path = format!("v1/signings/{}/simulate", text(&signing, "signingId"));
    let declined = api
        .post(&path, json!({"action": "decline"}))
        .await
        .expect(200);
    assert_eq!(of_signers(&declined, "status"), ["declined", "cancelled"]);

    let signing = api.create(signing_of(two())).await;
    let path = format!("v1/signings/{}/simulate", text(&signing, "signingId"));
    let expired = api
        .post(&path, json!({"action": "expire"}))
        .await
        .expect(200);
    assert_eq!(expired["status"], "expired");
    assert_eq!(of_signers(&expired, "status"), ["expired", "expired"]);
}

#[tokio::test]
async fn what_was_posted_signed_comes_back_as_it_was() {
    let demo = Demo::start();
    let (live, api) = (Account::live(&demo), Account::sandbox(&demo));
    let real = live.create(signing_of(two())).await;
    sign_first(&demo, &real).await;
    let path = format!("v1/signings/{}/document", text(&real, "signingId"));
    let signed = live.get(&path).await.bytes;
    let document = json!({"document": {"name": "a.pdf", "content": BASE64.encode(&signed)}});
    let signing = api.create(with(signing_of(two()), document)).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));

    let completed = api
        .post(&format!("{one}/simulate"), json!({"action": "complete"}))
        .await
        .expect(200);

    assert_eq!(completed["status"], "completed");
    assert_eq!(completed["completionMode"], "sandbox_simulation");
    assert_eq!(of_signers(&completed, "status"), ["simulated", "simulated"]);
    assert_eq!(
        of_signers(&completed, "identityMatched"),
        [Value::Null, Value::Null]
    );
    assert_eq!(
        completed["document"],
        json!({
            "sha256": hex::encode(Sha256::digest(&signed)), "bytes": signed.len(),
            "mimeType": "application/pdf", "sandbox": true, "signed": false,
        })
    );
    let download = api.get(&format!("{one}/document")).await;
    assert_eq!(download.status, 200);
    assert_eq!(download.bytes, signed);
    assert_eq!(
        download.header("x-service-sandbox"),
        Some("simulated-artifact-no-signature")
    );
    api.post(&format!("{one}/archive"), json!({}))
        .await
        .expect_problem(422, "archive-not-supported", &[]);
}
