//! Cards in readers, and over NFC.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, StatusCode};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::support::auth::{CardRequest, Provider, assert_refused, send};
use crate::support::demo::Demo;

#[tokio::test]
async fn cards_of_every_kind_of_key_authenticate_their_holders() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    for (persona, code) in [
        ("card-p384", "48706189911"),
        ("card-p256", "38504239920"),
        ("card-p521", "39104129952"),
        ("card-rsa", "38011229942"),
    ] {
        let request = provider.card_request().await;

        let (status, answer) = provider.authenticate(&request, persona).await;

        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(answer["status"], "completed");
        assert_eq!(answer["method"], "physical");
        assert_eq!(answer["cert"]["subject"]["serialNumber"], code);
        assert_eq!(answer["cert"]["subject"]["c"], "LT");
        let der = provider.certificate(persona, "authentication").await;
        assert_eq!(answer["cert"]["der"], der);
        let polled = provider.ended(&request.id).await;
        for member in ["status", "method", "sig", "cert", "assertion"] {
            assert_eq!(polled[member], answer[member], "{member}");
        }
    }
}

#[tokio::test]
async fn the_data_to_be_signed_are_what_a_client_computes() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;

    let (_, answer) = provider.submit(&request, "card-p384").await;

    let challenge = &answer["challenge"];
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let certificate = provider.certificate("card-p384", "authentication").await;
    let certificate = STANDARD.decode(certificate).expect("base64");
    let id: Uuid = request.id.parse().expect("a UUID");
    let expected = [
        &Sha256::digest("parafa-auth:1")[..],
        &Sha256::digest(text(&challenge["audience"])),
        &Sha256::digest(text(&challenge["nonce"])),
        &Sha256::digest(&certificate),
        id.as_bytes(),
    ]
    .concat();
    assert_eq!(text(&answer["dtbs"]), STANDARD.encode(&expected));
    assert_eq!(challenge["profile"], "parafa-auth:1");
    assert_eq!(challenge["audience"], provider.key.audience.as_str());
    assert_eq!(text(&challenge["nonce"]).len(), 43);
    assert_eq!(answer["dtbsHashAlgOid"], "2.16.840.1.101.3.4.2.1");
    let digest = Sha256::digest(Sha256::digest(&expected));
    let code = u16::from_be_bytes([digest[30], digest[31]]) % 10_000;
    assert_eq!(text(&answer["verificationCode"]), format!("{code:04}"));

    let (_, again) = provider.submit(&request, "card-p384").await;
    assert_eq!(
        (&again["dtbs"], &again["challenge"]),
        (&answer["dtbs"], challenge)
    );
    assert_ne!(again["operationToken"], answer["operationToken"]);
}

#[tokio::test]
async fn the_same_completion_is_answered_the_same_however_often_it_comes() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let (_, submitted) = provider.submit(&request, "card-p384").await;
    let completion = provider.completion("card-p384", &submitted).await;

    let together = [(); 4].map(|()| provider.complete(&request, &completion));
    let [first, others @ ..] = &futures_of(together).await[..] else {
        panic!("four answers");
    };

    assert_eq!(first.0, StatusCode::OK, "{}", first.1);
    assert!(others.iter().all(|other| other == first));
    let later = provider.complete(&request, &completion).await;
    assert_eq!(&later, first);
}

async fn futures_of<F: Future>(futures: [F; 4]) -> Vec<F::Output> {
    let [a, b, c, d] = futures;
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    vec![a, b, c, d]
}

#[tokio::test]
async fn an_app_is_paired_once_by_the_code_that_a_page_shows() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let (status, created) = provider.create("nfc", json!({})).await;
    assert_eq!(status, StatusCode::CREATED);
    assert!(created.get("clientToken").is_none());
    let code = created["pairing"]["code"].as_str().expect("a code");
    let uri = created["pairing"]["uri"].as_str().expect("an address");
    assert!(
        uri.starts_with(&provider.base) && uri.ends_with(code),
        "{uri}"
    );
    let pair = |code: &str| {
        let body = json!({"code": code});
        send(
            provider
                .request(Method::POST, "/v1/auth/pairings")
                .json(&body),
        )
    };

    assert_refused(&pair("0000-0000-0000").await, 404, "not_found");
    let (status, paired) = pair(&code.to_lowercase().replace('-', " ")).await;
    assert_eq!(status, StatusCode::OK, "{paired}");
    assert_eq!(paired["requestId"], created["requestId"]);
    assert_refused(&pair(code).await, 404, "not_found");

    let request = CardRequest::of(&paired);
    let (status, answer) = provider.authenticate(&request, "card-p256").await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer["method"], "nfc");
}

#[tokio::test]
async fn a_request_that_is_repeated_is_created_once() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let create = |method: &str| {
        let body = json!({"audience": provider.key.audience, "method": method});
        let request = provider.by_key(Method::POST, "/v1/auth/requests");
        send(request.header("idempotency-key", "a").json(&body))
    };

    let first = create("physical").await;
    let again = create("physical").await;

    assert_eq!(first.0, StatusCode::CREATED);
    assert_eq!(again, first);
    assert_refused(&create("nfc").await, 409, "idempotency_conflict");
}

#[tokio::test]
async fn a_cancelled_request_takes_nothing_more() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let path = format!("/v1/auth/requests/{}", request.id);

    let (status, _) = send(provider.by_key(Method::DELETE, &path)).await;

    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(provider.ended(&request.id).await["status"], "cancelled");
    let late = provider.submit(&request, "card-p384").await;
    assert_refused(&late, 409, "terminal_request");
    let again = send(provider.by_key(Method::DELETE, &path)).await;
    assert_refused(&again, 409, "terminal_request");
    for refused in [late, again] {
        assert_eq!(refused.1["error"]["message"], "The request is cancelled.");
    }
}

#[tokio::test]
async fn everything_ends_by_itself() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let (_, submitted) = provider.submit(&request, "card-p384").await;
    let completion = provider.completion("card-p384", &submitted).await;

    demo.move_clock("+2m");
    let stale = provider.complete(&request, &completion).await;
    assert_refused(&stale, 409, "operation_token_spent");

    demo.move_clock("+3m");
    let late = provider.submit(&request, "card-p384").await;
    assert_refused(&late, 401, "invalid_client_token");
    assert_eq!(provider.ended(&request.id).await["status"], "expired");

    demo.move_clock("+61m");
    let forgotten = async || {
        let mut answer = provider.poll(&request.id).await;
        for _ in 0..50 {
            if answer.0 == StatusCode::NOT_FOUND {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            answer = provider.poll(&request.id).await;
        }
        answer
    };
    assert_refused(&forgotten().await, 404, "not_found");
}

#[tokio::test]
async fn who_waits_is_told_when_the_status_changes() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let request = provider.card_request().await;
    let begun = std::time::Instant::now();

    let (polled, submitted) = tokio::join!(provider.poll(&request.id), async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        provider.submit(&request, "card-p384").await
    });

    assert_eq!(submitted.0, StatusCode::OK);
    assert_eq!(polled.1["status"], "certificate_received");
    assert!(begun.elapsed() < std::time::Duration::from_secs(15));
}
