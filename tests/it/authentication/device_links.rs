//! Login with Smart-ID without a personal code, and the relying party's name on
//! phones.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::support::auth::{Provider, assert_refused, send};
use crate::support::control::WorldControl;
use crate::support::demo::{Demo, parafa};

/// Registered name of the demo's relying party.
const NAME: &str = "Demo parduotuvė";

async fn opened(provider: &Provider, members: Value) -> Value {
    let (status, created) = provider.create("smart_id", members).await;
    assert_eq!(status, StatusCode::CREATED, "{created}");
    assert_eq!(created["status"], "pending");
    assert!(created.get("verificationCode").is_none(), "{created}");
    created
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("{pointer}: {value}"))
}

#[tokio::test]
async fn a_code_that_is_another_one_each_second_is_scanned_from_the_command_line() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let created = opened(&provider, json!({})).await;
    let id = text(&created, "/requestId");
    let first = text(&created, "/deviceLink/qr");
    assert!(first.contains("deviceLinkType=QR") && first.contains("&sessionType=auth&"));
    let path = format!("/v1/auth/requests/{id}?waitMs=1000");
    let mut read = created.clone();
    while read["deviceLink"]["qr"] == first {
        (_, read) = send(provider.by_key(Method::GET, &path)).await;
        assert_eq!(read["status"], "pending");
    }
    let same_device = "/deviceLink/sameDevice";
    assert_eq!(text(&read, same_device), text(&created, same_device));

    let persona = demo.persona_who_scans();
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let scan = |link: &str| {
        let words = ["demo", "scan", link, "--as", &persona.id, "--data", data];
        parafa(words).status.code()
    };
    let forged = text(&read, "/deviceLink/qr").replace("lang=lit", "lang=eng");
    assert_eq!(scan(&forged), Some(1));
    assert_eq!(scan(text(&read, "/deviceLink/qr")), Some(0));

    let ended = provider.ended(id).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let number = format!("PNOLT-{}", persona.personal_code);
    assert_eq!(ended["cert"]["subject"]["serialNumber"], number);
    assert!(ended["assertion"].is_string());
    assert!(ended.get("deviceLink").is_none() && ended.get("returnCode").is_none());
}

#[tokio::test]
async fn the_app_on_the_same_device_brings_the_browser_back_to_the_relying_party() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let return_url = format!("{}/login", provider.key.audience);
    let created = opened(&provider, json!({"returnUrl": return_url})).await;
    let id = text(&created, "/requestId");
    let made_up = format!("/auth/return/{id}?value=made&sessionSecretDigest=up");
    let page = provider.request(Method::GET, &made_up).send().await;
    let page = page.expect("a page");
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.text().await.expect("text").contains("Smart-ID"));
    let (_, read) = provider.poll_at_once(id).await;
    assert_eq!(read["status"], "pending");

    let link = text(&created, "/deviceLink/sameDevice");
    let persona = demo.persona_who_scans();
    assert!(demo.follow(link, "Web2App", persona).await);

    let ended = provider.ended(id).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert!(text(&ended, "/returnCode").len() >= 40);
}

#[tokio::test]
async fn a_browser_is_sent_to_addresses_of_the_audience_alone() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let audience = &provider.key.audience;
    for address in [
        "https://evil.example/".to_owned(),
        format!("{audience}.evil.example/"),
        format!("{audience}@evil.example/"),
        format!("{audience}:8443/"),
        format!("{audience}/#fragment"),
        format!("{audience}/a b"),
    ] {
        let members = json!({"returnUrl": address});
        let refused = provider.create("smart_id", members).await;
        assert_refused(&refused, 422, "invalid_request");
    }
    for (method, members) in [
        ("physical", json!({"returnUrl": audience})),
        (
            "smart_id",
            json!({"returnUrl": audience, "personalCode": "50001029996"}),
        ),
    ] {
        let refused = provider.create(method, members).await;
        assert_refused(&refused, 422, "invalid_request");
    }
}

#[tokio::test]
async fn every_phone_says_for_whom_its_owner_logs_in() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let link = opened(&provider, json!({})).await;
    let scanned = text(&link, "/deviceLink/qr");
    assert!(demo.follow(scanned, "QR", demo.persona_who_scans()).await);
    let mut requests = vec![text(&link, "/requestId").to_owned()];
    // The last one has an old app without the choice among codes.
    for (method, id) in [
        ("smart_id", "smart-id-2"),
        ("mobile_id", "mobile-id-1"),
        ("smart_id", "smart-id-4"),
    ] {
        let persona = demo.persona(id);
        let mut members = json!({"personalCode": persona.personal_code});
        if let Some(number) = &persona.phone_number {
            members["phoneNumber"] = json!(number);
        }
        let (_, created) = provider.create(method, members).await;
        requests.push(text(&created, "/requestId").to_owned());
    }
    for id in &requests {
        assert_eq!(provider.ended(id).await["status"], "completed");
    }

    let rang = WorldControl::of(&demo).journal(0).await;
    let rang: Vec<_> = rang
        .iter()
        .filter(|entry| entry.rang_for("authentication"))
        .map(|entry| entry.text.as_deref().unwrap_or_default())
        .collect();
    let shown = format!("Prisijungti / Log in: {NAME}");
    assert_eq!(rang, [shown.as_str(); 4]);
}

#[tokio::test]
async fn an_app_learns_for_whom_its_card_is_and_the_backend_which_code_it_shows() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let (_, created) = provider.create("nfc", json!({})).await;
    let code = json!({"code": created["pairing"]["code"]});
    let pair = provider.request(Method::POST, "/v1/auth/pairings");
    let (_, paired) = send(pair.json(&code)).await;
    assert_eq!(paired["provider"], NAME);
    assert_eq!(paired["audience"], provider.key.audience.as_str());
    assert!(Url::parse(text(&created, "/pairing/uri")).is_ok());

    let request = crate::support::auth::CardRequest::of(&paired);
    let (_, submitted) = provider.submit(&request, "card-p384").await;

    let (_, read) = provider.poll_at_once(&request.id).await;
    assert_eq!(read["status"], "certificate_received");
    assert_eq!(read["verificationCode"], submitted["verificationCode"]);
}
