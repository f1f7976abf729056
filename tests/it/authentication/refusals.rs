//! All rows of the table of errors.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::auth::{CardRequest, Provider, assert_refused, send};
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::operator::done;

const REQUESTS: &str = "/v1/auth/requests";

/// Creates a relying party by the command line.
fn make(demo: &Demo, words: &[&str]) -> Provider {
    Provider::made(demo, "https://other.example", words)
}

#[tokio::test]
async fn what_a_provider_is_not_set_up_for_is_forbidden() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let body = json!({"audience": "https://evil.example", "method": "physical"});
    let foreign = send(provider.by_key(Method::POST, REQUESTS).json(&body)).await;
    assert_refused(&foreign, 403, "forbidden_origin");
    let body = json!({"audience": format!("{}/", provider.key.audience), "method": "physical"});
    let inexact = send(provider.by_key(Method::POST, REQUESTS).json(&body)).await;
    assert_refused(&inexact, 403, "forbidden_origin");

    let narrow = make(&demo, &["--method", "physical", "--encoding", "DER"]);
    let other_method = narrow.create("nfc", json!({})).await;
    assert_refused(&other_method, 403, "forbidden_format");
    let request = narrow.card_request().await;
    let other_encoding = narrow.authenticate(&request, "card-p384").await;
    assert_refused(&other_encoding, 403, "forbidden_format");

    done(&demo.data(), &["tenant", "create", "Nauja UAB"]);
    let of_tenant = make(&demo, &["--method", "physical", "--tenant", "Nauja UAB"]);
    let request = of_tenant.card_request().await;
    done(&demo.data(), &["tenant", "suspend", "Nauja UAB"]);
    let suspended = of_tenant.create("physical", json!({})).await;
    assert_refused(&suspended, 403, "forbidden_tenant");
    let client = of_tenant.submit(&request, "card-p384").await;
    assert_refused(&client, 403, "forbidden_tenant");
    done(&demo.data(), &["tenant", "resume", "Nauja UAB"]);
    let (status, _) = of_tenant.authenticate(&request, "card-p384").await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_revoked_provider_and_its_clients_are_strangers() {
    let demo = Demo::start();
    let provider = make(&demo, &["--method", "physical", "--no-assertion"]);
    let request = provider.card_request().await;
    let (_, answer) = provider.authenticate(&request, "card-p256").await;
    assert!(answer.get("assertion").is_none(), "{answer}");
    let request = provider.card_request().await;
    let listed = done(&demo.data(), &["provider", "list"]);
    let listed = listed.as_array().expect("a list").clone();
    assert!(
        listed
            .iter()
            .any(|one| one["keyId"] == provider.key.key_id.as_str())
    );
    assert!(!json!(listed).to_string().contains(&provider.key.key_secret));

    done(&demo.data(), &["provider", "revoke", &provider.key.key_id]);

    let create = provider.create("physical", json!({})).await;
    assert_refused(&create, 401, "unauthorized");
    let client = provider.submit(&request, "card-p384").await;
    assert_refused(&client, 401, "invalid_client_token");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let unknown = "0190b5a8-7c3e-7d7b-8f6e-000000000000";
    let card = provider.card_request().await;
    let nowhere = CardRequest {
        id: unknown.to_owned(),
        ..card.clone()
    };

    assert_refused(&provider.poll(unknown).await, 404, "not_found");
    assert_refused(
        &provider.submit(&nowhere, "card-p384").await,
        404,
        "not_found",
    );
    let other = make(&demo, &["--method", "physical"]);
    assert_refused(&other.poll(&card.id).await, 404, "not_found");
}

#[tokio::test]
async fn certificates_that_do_not_tell_who_somebody_is_are_refused() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    for (persona, code, told) in [
        ("card-revoked", "certificate_revoked", "was revoked at 20"),
        ("card-expired", "certificate_expired", "expired at 20"),
        (
            "card-untrusted",
            "certificate_chain",
            "no trusted path at depth",
        ),
    ] {
        let refused = provider.submit(&request, persona).await;
        assert_refused(&refused, 422, code);
        let message = refused.1["error"]["message"].as_str().expect("a message");
        assert!(message.contains(told), "{message}");
        assert_eq!(refused.1["error"]["requestId"], request.id.as_str());
    }
    let signing = provider.certificate("card-p384", "signing").await;
    for (certificate, code) in [
        (signing.as_str(), "certificate_purpose"),
        ("AAAA", "certificate_chain"),
        ("not base64", "invalid_request"),
    ] {
        let body = json!({"certificate": certificate});
        let refused = send(provider.step(&request, "certificate", &body)).await;
        assert_refused(&refused, 422, code);
    }
    let control = WorldControl::of(&demo);
    for service in ["ocsp", "repository"] {
        control.spoil(service, json!({"fault": "down"})).await;
    }
    let untold = provider.submit(&request, "card-p384").await;
    assert_refused(&untold, 422, "revocation_unavailable");
    assert_eq!(untold.1["error"]["retryable"], true);
    let message = untold.1["error"]["message"].as_str().expect("a message");
    assert!(message.contains("127.0.0.1"), "whose: {message}");
    assert!(!message.contains("http://"), "{message}");
    // The revocation list is enough.
    control.mend("repository").await;
    let revoked = provider.submit(&request, "card-revoked").await;
    assert_refused(&revoked, 422, "certificate_revoked");

    let (status, _) = provider.authenticate(&request, "card-p384").await;
    assert_eq!(status, StatusCode::OK, "a refused certificate ends nothing");
}

#[tokio::test]
async fn another_persons_certificate_is_told_apart_before_it_is_judged() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let (status, _) = provider.submit(&request, "card-p384").await;
    assert_eq!(status, StatusCode::OK);

    for persona in ["card-p256", "card-revoked", "card-expired"] {
        let swapped = provider.submit(&request, persona).await;
        assert_refused(&swapped, 409, "identity_swap");
    }
    let made = provider.submit(&request, "card-untrusted").await;
    assert_refused(&made, 422, "certificate_chain");
}

#[tokio::test]
async fn algorithm_encoding_and_key_belong_together() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let (_, submitted) = provider.submit(&request, "card-p384").await;
    let completion = provider.completion("card-p384", &submitted).await;
    for (algorithm, encoding) in [
        ("ES384", "P1363"),
        ("RS256", "RAW"),
        ("ES256", "RAW"),
        ("ES256", "p1363"),
    ] {
        let mut other = completion.clone();
        other["signatureAlgorithm"] = algorithm.into();
        other["signatureEncoding"] = encoding.into();
        let refused = provider.complete(&request, &other).await;
        assert_refused(&refused, 422, "unsupported_algorithm");
    }

    let (status, _) = provider.complete(&request, &completion).await;

    assert_eq!(
        status,
        StatusCode::OK,
        "what was not judged has claimed nothing"
    );
}

#[tokio::test]
async fn too_many_calls_are_told_to_wait() {
    let limit = ("PARAFA_LIMITS__WRITES_PER_MINUTE", "3".to_owned());
    let demo = Demo::start_with(&[limit]);
    let provider = Provider::of(&demo);
    for _ in 0..3 {
        let (status, _) = provider.create("physical", json!({})).await;
        assert_eq!(status, StatusCode::CREATED);
    }

    let refused = provider.create("physical", json!({})).await;
    assert_refused(&refused, 429, "rate_limited");

    let body = json!({"code": "0000-0000-0000"});
    let pair = || {
        send(
            provider
                .request(Method::POST, "/v1/auth/pairings")
                .json(&body),
        )
    };
    for _ in 0..3 {
        assert_refused(&pair().await, 404, "not_found");
    }
    assert_refused(&pair().await, 429, "rate_limited");
}

#[tokio::test]
async fn an_address_that_guesses_pairing_codes_is_told_to_wait() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let body = json!({"code": "0000-0000-0000"});
    let guess = || {
        send(
            provider
                .request(Method::POST, "/v1/auth/pairings")
                .json(&body),
        )
    };

    for _ in 0..10 {
        assert_refused(&guess().await, 404, "not_found");
    }
    assert_refused(&guess().await, 429, "rate_limited");
}
