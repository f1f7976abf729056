//! Authentication by Smart-ID and Mobile-ID, which the server calls.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::auth::{Provider, send};
use crate::support::demo::{Demo, Persona};

fn members(method: &str, persona: &Persona) -> Value {
    let mut members = json!({"personalCode": persona.personal_code});
    if method == "mobile_id" {
        members["phoneNumber"] = json!(persona.phone_number);
    }
    members
}

fn persona<'d>(demo: &'d Demo, method: &str, outcome: &str) -> &'d Persona {
    let mut personas = demo.world.world.personas.iter();
    let found = personas.find(|persona| {
        persona.country == "LT"
            && persona.outcome == outcome
            && persona.methods.iter().any(|known| known == method)
    });
    found.unwrap_or_else(|| panic!("nobody is {outcome} by {method}"))
}

#[tokio::test]
async fn phones_authenticate_their_owners() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    for method in ["smart_id", "mobile_id"] {
        let owner = persona(&demo, method, "signs");

        let (status, created) = provider.create(method, members(method, owner)).await;

        assert_eq!(status, StatusCode::CREATED, "{created}");
        let code = created["verificationCode"].as_str().expect("a code");
        assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(created.get("clientToken").is_none());
        let id = created["requestId"].as_str().expect("an id");
        let ended = provider.ended(id).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        assert_eq!(ended["verificationCode"], code);
        let number = format!("PNOLT-{}", owner.personal_code);
        assert_eq!(ended["cert"]["subject"]["serialNumber"], number);
        assert!(ended["assertion"].is_string() && ended["sig"].is_string());
    }
}

#[tokio::test]
async fn whoever_does_not_authenticate_fails_with_the_reason() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    for (method, outcome, code) in [
        ("smart_id", "user_refused", "user_refused"),
        ("smart_id", "wrong_code", "wrong_code"),
        ("smart_id", "timeout", "timeout"),
        ("smart_id", "revoked", "device_error"),
        ("smart_id", "expired", "device_error"),
        ("smart_id", "not_qualified", "not_qualified"),
        ("mobile_id", "user_refused", "user_refused"),
        ("mobile_id", "no_account", "no_account"),
        ("mobile_id", "device_error", "device_error"),
        ("mobile_id", "timeout", "timeout"),
    ] {
        let owner = persona(&demo, method, outcome);

        let (status, created) = provider.create(method, members(method, owner)).await;

        assert_eq!(status, StatusCode::CREATED, "{created}");
        let ended = provider
            .ended(created["requestId"].as_str().expect("an id"))
            .await;
        assert_eq!(ended["status"], "failed", "{method} {outcome}: {ended}");
        assert_eq!(ended["error"]["code"], code, "{method} {outcome}");
        assert_eq!(ended["error"]["requestId"], created["requestId"]);
        assert!(ended.get("cert").is_none());
    }
}

#[tokio::test]
async fn a_person_is_asked_by_a_few_requests_at_a_time() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let owner = persona(&demo, "smart_id", "timeout");
    for _ in 0..4 {
        let (status, _) = provider
            .create("smart_id", members("smart_id", owner))
            .await;
        assert_eq!(status, StatusCode::CREATED);
    }

    let refused = provider
        .create("smart_id", members("smart_id", owner))
        .await;

    crate::support::auth::assert_refused(&refused, 429, "rate_limited");
}

#[tokio::test]
async fn a_request_outlives_its_host() {
    let mut demo = Demo::start();
    let provider = Provider::of(&demo);
    let owner = persona(&demo, "smart_id", "timeout");
    let (_, created) = provider
        .create("smart_id", members("smart_id", owner))
        .await;
    let id = created["requestId"].as_str().expect("an id").to_owned();

    demo.kill();
    demo.start_again();

    let provider = Provider::of(&demo);
    // The world's phones and their sessions died with the server.
    let ended = provider.ended(&id).await;
    assert_eq!(ended["status"], "failed", "{ended}");
    let path = format!("/v1/auth/requests/{id}");
    let (_, read) = send(provider.by_key(Method::GET, &path)).await;
    assert_eq!(read["error"], ended["error"]);
}
