//! Attacks from the command line and over HTTP.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::auth::{CardRequest, Provider, assert_refused, send};
use crate::support::demo::{Demo, parafa};

/// Runs `parafa demo card auth` with additional arguments.
fn card(demo: &Demo, request: &CardRequest, persona: &str, more: &[&str]) -> (Option<i32>, String) {
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let words = [
        "demo",
        "card",
        "auth",
        "--request",
        &request.id,
        "--token",
        &request.token,
    ];
    let place = ["--as", persona, "--json", "--data", data];
    let output = parafa(words.iter().chain(&place).chain(more));
    let told = if output.status.success() {
        output.stdout
    } else {
        output.stderr
    };
    (
        output.status.code(),
        String::from_utf8_lossy(&told).into_owned(),
    )
}

#[tokio::test]
async fn a_persona_authenticates_from_the_command_line() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;

    let (code, told) = card(&demo, &request, "card-p384", &[]);

    assert_eq!(code, Some(0), "{told}");
    let answer: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(answer["status"], "completed");
    let (code, told) = card(&demo, &request, "nobody", &[]);
    assert_eq!(code, Some(1));
    assert!(told.contains("card-p384"), "{told}");
}

#[tokio::test]
async fn hostile_apps_are_refused_in_the_services_own_words() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    for (hostile, refusal, stands) in [
        ("swap", "409 identity_swap", "certificate_received"),
        ("other-card", "422 bad_signature", "failed"),
        ("other-bytes", "422 bad_signature", "failed"),
        ("wrong-curve", "422 bad_signature", "failed"),
        ("text", "422 dtbs_mismatch", "failed"),
        ("replay", "409 operation_token_spent", "completed"),
        ("signing-certificate", "422 certificate_purpose", "pending"),
        ("relay", "403 forbidden_origin", "pending"),
    ] {
        let request = provider.card_request().await;

        let (code, told) = card(&demo, &request, "card-p384", &["--hostile", hostile]);

        assert_eq!(code, Some(1), "{hostile}: {told}");
        assert!(told.contains(refusal), "{hostile}: {told}");
        let path = format!("/v1/auth/requests/{}", request.id);
        let (_, read) = send(provider.by_key(Method::GET, &path)).await;
        assert_eq!(read["status"], stands, "{hostile}");
    }
}

#[tokio::test]
async fn a_signature_for_one_request_is_none_for_another() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let [one, other] = [provider.card_request().await, provider.card_request().await];
    let (_, for_one) = provider.submit(&one, "card-p384").await;
    let (_, for_other) = provider.submit(&other, "card-p384").await;
    assert_ne!(for_one["dtbs"], for_other["dtbs"]);

    let mut replayed = provider.completion("card-p384", &for_one).await;
    replayed["operationToken"] = for_other["operationToken"].clone();

    let refused = provider.complete(&other, &replayed).await;
    assert_refused(&refused, 422, "bad_signature");
    let again = provider.complete(&other, &replayed).await;
    assert_eq!(again, refused, "the same completion comes to the same");
    let mended = provider.completion("card-p384", &for_other).await;
    let late = provider.complete(&other, &mended).await;
    assert_refused(&late, 409, "operation_token_spent");
}

#[tokio::test]
async fn tokens_are_for_their_own_request_alone() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let [one, other] = [provider.card_request().await, provider.card_request().await];
    let mixed = CardRequest {
        id: one.id.clone(),
        token: other.token.clone(),
    };

    assert_refused(
        &provider.submit(&mixed, "card-p384").await,
        401,
        "invalid_client_token",
    );

    let (_, for_one) = provider.submit(&one, "card-p384").await;
    let (_, for_other) = provider.submit(&other, "card-p384").await;
    let mut completion = provider.completion("card-p384", &for_one).await;
    completion["operationToken"] = for_other["operationToken"].clone();
    let refused = provider.complete(&one, &completion).await;
    assert_refused(&refused, 409, "operation_token_spent");
}

#[tokio::test]
async fn a_person_who_is_asked_for_is_the_only_one_who_counts() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let asked = json!({"personalCode": "48706189911"});
    let (_, created) = provider.create("physical", asked).await;
    let request = CardRequest::of(&created);

    let another = provider.submit(&request, "card-p256").await;
    assert_refused(&another, 422, "identity_mismatch");

    let (status, _) = provider.authenticate(&request, "card-p384").await;
    assert_eq!(status, StatusCode::OK);
}
