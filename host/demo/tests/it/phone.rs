//! Device links, the phone that follows them, and linked signatures.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, Mac as _};
use parafa_demo::EndResult;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use crate::support::{FIRST, Party, common, fresh_world, signature, with};

const CHOICE: &str = "/signature/certificate-choice/device-link/anonymous";
const SCAN: &str = "/mock/device-link";

/// A device link as a relying party makes it.
fn device_link(begun: &Value, kind: &str, session_type: &str, protected: [&str; 4]) -> String {
    let [protocol, digest, interactions, callback] = protected;
    let elapsed = if kind == "QR" {
        "&elapsedSeconds=0"
    } else {
        ""
    };
    let unprotected = format!(
        "{}?deviceLinkType={kind}{elapsed}&sessionToken={}&sessionType={session_type}&version=1.0&lang=lit",
        begun["deviceLinkBase"].as_str().unwrap(),
        begun["sessionToken"].as_str().unwrap(),
    );
    let payload = format!(
        "smart-id-demo|{protocol}|{digest}|REVNTw==||{interactions}|{callback}|{unprotected}"
    );
    let secret = STANDARD
        .decode(begun["sessionSecret"].as_str().unwrap())
        .unwrap();
    let mut hmac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
    hmac.update(payload.as_bytes());
    let code = URL_SAFE_NO_PAD.encode(hmac.finalize().into_bytes());
    format!("{unprotected}&authCode={code}")
}

fn scan(document: &str, link: &str, flow: &str) -> Value {
    json!({ "documentNumber": document, "deviceLink": link, "flowType": flow })
}

/// A choice of certificate that a person made by scanning a QR code.
async fn chosen_by(party: &Party, document: &str) -> (Value, Value) {
    let begun = party.begin(CHOICE, &common()).await;
    let link = device_link(&begun, "QR", "cert", ["", "", "", ""]);
    party.begin(SCAN, &scan(document, &link, "QR")).await;
    let status = party.ending(&begun).await;
    (begun, status)
}

fn linked(begun: &Value) -> Value {
    with(
        signature("sha256WithRSAEncryption", &[7; 32]),
        json!({ "linkedSessionID": begun["sessionID"] }),
    )
}

#[tokio::test]
async fn a_scanned_choice_is_followed_by_a_linked_signature() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let document = "PNOLT-40404040009-MOCK-Q";
    let (begun, chosen) = chosen_by(&party, document).await;
    assert_eq!(chosen["result"]["documentNumber"], document);
    assert_eq!(chosen["signature"], json!({ "flowType": "QR" }));

    let path = format!("/signature/notification/linked/{document}");
    let signing = party.begin(&path, &linked(&begun)).await;
    assert!(
        signing.get("vc").is_none(),
        "a linked signature shows no code"
    );
    let signed = party.ending(&signing).await;
    assert_eq!(signed["result"]["endResult"], "OK");
    assert_eq!(signed["signature"]["flowType"], "QR");
    assert_eq!(signed["cert"], chosen["cert"]);

    let again = party.post(&path, &linked(&begun)).await;
    assert_eq!(
        again.status,
        StatusCode::BAD_REQUEST,
        "a choice is followed once"
    );
}

#[tokio::test]
async fn sessions_end_as_they_are_switched_to_whoever_is_asked() {
    let world = fresh_world().await;
    let (party, switches) = (Party::of(&world), world.smart_id_switches());
    let path = format!("/signature/notification/document/{FIRST}");
    let request = || signature("sha256WithRSAEncryption", &[7; 32]);
    for result in [
        EndResult::AccountUnusable,
        EndResult::DocumentUnusable,
        EndResult::ProtocolFailure,
        EndResult::RequiredInteractionNotSupportedByApp,
    ] {
        switches.end_signatures(Some(result));
        let status = party.ending(&party.begin(&path, &request()).await).await;
        assert_eq!(status["result"], json!({ "endResult": result.name() }));
        assert!(status.get("signature").is_none() && status.get("cert").is_none());
    }

    switches.end_signatures(None);
    let status = party.ending(&party.begin(&path, &request()).await).await;
    assert_eq!(status["result"]["endResult"], "OK");
}

#[tokio::test]
async fn a_member_is_replaced_in_every_answer_that_has_it() {
    let world = fresh_world().await;
    let (party, switches) = (Party::of(&world), world.smart_id_switches());
    switches.replace("/sessionToken", json!("short"));

    assert_eq!(
        party.begin(CHOICE, &common()).await["sessionToken"],
        "short"
    );

    switches.replace_nothing();
    assert_ne!(
        party.begin(CHOICE, &common()).await["sessionToken"],
        "short"
    );
}

#[tokio::test]
async fn a_linked_signature_by_another_document_is_refused() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let (begun, _) = chosen_by(&party, "PNOLT-61101019999-MOCK-Q").await;
    let path = format!("/signature/notification/linked/{FIRST}");
    assert_eq!(
        party.post(&path, &linked(&begun)).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn another_transaction_does_not_get_through_before_the_linked_one() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let document = "PNOLT-39901012239-DEMO-Q";
    let (begun, _) = chosen_by(&party, document).await;
    let path = format!("/signature/notification/document/{document}");
    let other = party
        .begin(&path, &signature("sha256WithRSAEncryption", &[7; 32]))
        .await;
    let other = party.ending(&other).await;
    assert_eq!(other["result"]["endResult"], "EXPECTED_LINKED_SESSION");

    let path = format!("/signature/notification/linked/{document}");
    let linked = party.begin(&path, &linked(&begun)).await;
    assert_eq!(party.ending(&linked).await["result"]["endResult"], "OK");
}

#[tokio::test]
async fn people_end_a_scanned_choice_as_published() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    for (document, result) in [
        ("PNOLT-30403039917-MOCK-Q", "USER_REFUSED"),
        ("PNOLT-30403039983-MOCK-Q", "TIMEOUT"),
        ("PNOLT-61101019988-MOCK-NQ", "OK"),
        ("PNOLT-30303039914-MOCK-Q", "OK"),
    ] {
        let (_, status) = chosen_by(&party, document).await;
        assert_eq!(status["result"]["endResult"], result, "{document}");
    }
}

#[tokio::test]
async fn a_scanned_choice_of_a_basic_account_says_its_level() {
    let world = fresh_world().await;
    let (_, status) = chosen_by(&Party::of(&world), "PNOLT-61101019988-MOCK-NQ").await;
    assert_eq!(status["cert"]["certificateLevel"], "ADVANCED");
}

#[tokio::test]
async fn a_signature_can_begin_with_a_link() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let body = signature("sha256WithRSAEncryption", &[7; 32]);
    let begun = party
        .begin(&format!("/signature/device-link/document/{FIRST}"), &body)
        .await;
    let digest = body["signatureProtocolParameters"]["digest"]
        .as_str()
        .unwrap();
    let interactions = body["interactions"].as_str().unwrap();
    let protected = ["RAW_DIGEST_SIGNATURE", digest, interactions, ""];
    let link = device_link(&begun, "QR", "sign", protected);

    let stranger = scan("PNOLT-50001029996-DEMO-Q", &link, "QR");
    assert_eq!(
        party.post(SCAN, &stranger).await.status,
        StatusCode::BAD_REQUEST
    );
    party.begin(SCAN, &scan(FIRST, &link, "QR")).await;
    let status = party.ending(&begun).await;
    assert_eq!(status["result"]["endResult"], "OK");
    assert_eq!(status["signature"]["flowType"], "QR");
}

#[tokio::test]
async fn a_link_with_anything_changed_is_refused() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let begun = party.begin(CHOICE, &common()).await;
    let link = device_link(&begun, "QR", "cert", ["", "", "", ""]);
    let token = begun["sessionToken"].as_str().unwrap();
    let changed = [
        link.replace("lang=lit", "lang=eng"),
        link.replace("elapsedSeconds=0", "elapsedSeconds=1"),
        link.replace(token, "AAAAAAAAAAAAAAAAAAAAAAAA"),
        link.replace("sessionType=cert", "sessionType=sign"),
        link.replace("http://", "https://"),
        link.replace("&version=1.0", ""),
        format!("{link}A"),
        device_link(&begun, "QR", "cert", ["", "", "", "https://rp.example/"]),
        device_link(&begun, "QR", "cert", ["RAW_DIGEST_SIGNATURE", "", "", ""]),
    ];
    for link in changed {
        let answer = party.post(SCAN, &scan(FIRST, &link, "QR")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{link}");
        assert_eq!(answer.body["errors"][0]["pointer"], "/deviceLink");
    }
    let other_flow = party.post(SCAN, &scan(FIRST, &link, "Web2App")).await;
    assert_eq!(other_flow.body["errors"][0]["pointer"], "/flowType");
    let id = begun["sessionID"].as_str().unwrap();
    let status = party.get(&format!("/session/{id}?timeoutMs=1000")).await;
    assert_eq!(
        status.body["state"], "RUNNING",
        "a wrong link changes nothing"
    );
}

#[tokio::test]
async fn a_followed_link_sends_the_browser_back_after_the_linked_signature() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let callback = format!(
        "http://{}/back?value=secret",
        listener.local_addr().unwrap()
    );
    let document = "PNOLT-61101012257-MOCK-Q";
    let body = with(common(), json!({ "initialCallbackUrl": callback }));
    let begun = party.begin(CHOICE, &body).await;
    let link = device_link(&begun, "Web2App", "cert", ["", "", "", &callback]);
    let follow = with(
        scan(document, &link, "Web2App"),
        json!({ "browserCookie": "browser=1" }),
    );
    party.begin(SCAN, &follow).await;
    let chosen = party.ending(&begun).await;
    assert_eq!(chosen["signature"]["flowType"], "Web2App");
    let path = format!("/signature/notification/linked/{document}");
    let signed = party.begin(&path, &linked(&begun)).await;
    assert_eq!(party.ending(&signed).await["result"]["endResult"], "OK");

    let request = received(&listener).await;
    let secret = STANDARD
        .decode(begun["sessionSecret"].as_str().unwrap())
        .unwrap();
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&secret));
    let line = format!("GET /back?value=secret&sessionSecretDigest={digest} HTTP/1.1\r\n");
    assert!(request.starts_with(&line), "{request}");
    assert!(request.contains("\r\ncookie: browser=1\r\n"), "{request}");
}

#[tokio::test]
async fn a_link_that_is_opened_in_a_browser_asks_who_answers() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let begun = party.begin(CHOICE, &common()).await;
    let link = device_link(&begun, "Web2App", "cert", ["", "", "", ""]);
    let page = reqwest::get(&link).await.unwrap().text().await.unwrap();
    assert!(page.contains(&link.replace('&', "&amp;")), "{page}");
    assert!(page.contains(&format!("value=\"{FIRST}\"")), "{page}");

    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("deviceLink", &link)
        .append_pair("documentNumber", FIRST)
        .finish();
    let address = begun["deviceLinkBase"].as_str().unwrap();
    let request = reqwest::Client::new().post(address).body(form);
    assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(
        party.ending(&begun).await["result"]["documentNumber"],
        FIRST
    );
}

/// The head of the next request, answered with 204.
async fn received(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream
        .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
        .await
        .unwrap();
    String::from_utf8(head).unwrap()
}

/// A request to authenticate a person.
fn authentication(interactions: &Value) -> Value {
    let mut body = with(
        common(),
        json!({
            "signatureProtocol": "ACSP_V2",
            "signatureProtocolParameters": {
                "rpChallenge": STANDARD.encode([7; 32]),
                "signatureAlgorithm": "rsassa-pss",
                "signatureAlgorithmParameters": { "hashAlgorithm": "SHA-256" },
            },
            "interactions": STANDARD.encode(interactions.to_string()),
        }),
    );
    // The challenge makes it the only one.
    body.as_object_mut().unwrap().remove("nonce");
    body
}

#[tokio::test]
async fn an_authentication_by_link_is_bound_to_all_that_was_asked() {
    const BY_LINK: &str = "/authentication/device-link/anonymous";
    let world = fresh_world().await;
    let party = Party::of(&world);
    let document = "PNOLT-40404040009-MOCK-Q";
    let pin = json!([{"type": "displayTextAndPIN", "displayText60": "a"}]);
    let choice = json!([{
        "type": "confirmationMessageAndVerificationCodeChoice", "displayText200": "a",
    }]);
    let with_code = with(authentication(&pin), json!({ "vcType": "numeric4" }));
    for refused in [authentication(&choice), with_code] {
        let answer = party.post(BY_LINK, &refused).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.body);
    }

    let asked = authentication(&pin);
    let begun = party.begin(BY_LINK, &asked).await;
    let challenge = STANDARD.encode([7; 32]);
    let interactions = asked["interactions"].as_str().unwrap();
    for unbound in [
        ["", "", "", ""],
        ["ACSP_V2", &challenge, "", ""],
        ["ACSP_V2", "", interactions, ""],
    ] {
        let link = device_link(&begun, "QR", "auth", unbound);
        let answer = party.post(SCAN, &scan(document, &link, "QR")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{unbound:?}");
    }
    let bound = ["ACSP_V2", &challenge, interactions, ""];
    let link = device_link(&begun, "QR", "auth", bound);
    party.begin(SCAN, &scan(document, &link, "QR")).await;

    let status = party.ending(&begun).await;
    assert_eq!(status["signature"]["flowType"], "QR");
    assert_eq!(status["signatureProtocol"], "ACSP_V2");
    world.shutdown().await;
}

#[tokio::test]
async fn an_app_that_knows_none_of_the_interactions_says_so() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let message = json!([{"type": "confirmationMessage", "displayText200": "a"}]);
    let asked = with(authentication(&message), json!({ "vcType": "numeric4" }));
    for (person, result) in [
        ("39901012239", "REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP"),
        ("50001029996", "OK"),
    ] {
        let path = format!("/authentication/notification/etsi/PNOLT-{person}");
        let begun = party.begin(&path, &asked).await;

        let status = party.ending(&begun).await;

        assert_eq!(status["result"]["endResult"], result);
    }
    world.shutdown().await;
}
