//! Certificate status, as OpenSSL's command line checks it.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Client, StatusCode};
use serde_json::Value;

use crate::support::{Party, authority_pem, certificate, common, openssl, scratch, world};

/// Asks the responder named by the certificate.
async fn status(folder: &Path, issuer: &str, arguments: &[&str]) -> String {
    fs::write(
        folder.join("issuer.pem"),
        authority_pem(world(), issuer).await,
    )
    .unwrap();
    let pem = ["x509", "-in", "subject.pem", "-noout", "-ocsp_uri"];
    let address = openssl(folder, &pem);
    let root = world().roots()[0].to_str().unwrap();
    let ask = [
        "-issuer",
        "issuer.pem",
        "-cert",
        "subject.pem",
        "-url",
        address.trim(),
        "-CAfile",
        root,
        "-verify_other",
        "issuer.pem",
    ];
    openssl(folder, &[["ocsp"].as_slice(), arguments, &ask].concat())
}

async fn write_certificate_of(folder: &Path, document: &str) {
    let mut body = common();
    body.as_object_mut().unwrap().remove("nonce");
    let path = format!("/signature/certificate/{document}");
    let answer: Value = Party::of(world()).begin(&path, &body).await;
    let pem = certificate(&answer).to_pem().unwrap();
    fs::write(folder.join("subject.pem"), pem).unwrap();
}

#[tokio::test]
async fn a_signing_certificate_is_good_or_revoked_as_its_persona_says() {
    let folder = scratch();
    for (document, expected) in [
        ("PNOLT-40504040001-MOCK-Q", "subject.pem: good"),
        ("PNOLT-38211039908-MOCK-Q", "subject.pem: good"),
        ("PNOLT-47902149900-MOCK-Q", "subject.pem: revoked"),
    ] {
        write_certificate_of(&folder, document).await;
        for hash in ["-sha1", "-sha256"] {
            let text = status(&folder, "eid-q-e", &[hash]).await;
            assert!(text.contains("Response verify OK"), "{text}");
            assert!(text.contains(expected), "{document}: {text}");
            assert!(!text.contains("WARNING"), "the nonce is echoed: {text}");
        }
    }
}

#[tokio::test]
async fn every_authority_below_the_root_is_good() {
    let folder = scratch();
    for authority in ["eid-q-e", "eid-nq-e", "tsa-ca"] {
        let pem = authority_pem(world(), authority).await;
        fs::write(folder.join("subject.pem"), pem).unwrap();
        let text = status(&folder, "root-e", &[]).await;
        assert!(text.contains("Response verify OK"), "{text}");
        assert!(text.contains("subject.pem: good"), "{authority}: {text}");
    }
}

#[tokio::test]
async fn the_time_stamping_unit_is_good() {
    let folder = scratch();
    let world_folder = world().trust_folder().parent().unwrap();
    let unit = world_folder.join("certificates/tsa/unit-1.pem");
    fs::copy(unit, folder.join("subject.pem")).unwrap();
    let text = status(&folder, "tsa-ca", &[]).await;
    assert!(text.contains("Response verify OK"), "{text}");
    assert!(text.contains("subject.pem: good"), "{text}");
}

#[tokio::test]
async fn a_serial_number_that_was_never_issued_is_unknown() {
    let folder = scratch();
    write_certificate_of(&folder, "PNOLT-40504040001-MOCK-Q").await;
    status(&folder, "eid-q-e", &[]).await;
    let root = world().roots()[0].to_str().unwrap();
    let ask = [
        "ocsp",
        "-issuer",
        "issuer.pem",
        "-serial",
        "0x1234",
        "-url",
        &world().addresses().ocsp,
        "-CAfile",
        root,
        "-verify_other",
        "issuer.pem",
    ];
    let text = openssl(&folder, &ask);
    assert!(text.contains("Response verify OK"), "{text}");
    assert!(text.contains("0x1234: unknown"), "{text}");
}

#[tokio::test]
async fn a_responder_answers_for_its_own_authority_alone() {
    let folder = scratch();
    write_certificate_of(&folder, "PNOLT-40504040001-MOCK-Q").await;
    status(&folder, "eid-q-e", &[]).await;
    let url = format!("{}/tsa-ca", world().addresses().ocsp);
    let ask = [
        "ocsp",
        "-issuer",
        "issuer.pem",
        "-cert",
        "subject.pem",
        "-url",
        &url,
    ];
    let text = openssl(&folder, &ask);
    assert!(text.contains("Responder Error: unauthorized"), "{text}");
}

#[tokio::test]
async fn a_request_may_come_by_get() {
    let folder = scratch();
    write_certificate_of(&folder, "PNOLT-40504040001-MOCK-Q").await;
    fs::write(
        folder.join("issuer.pem"),
        authority_pem(world(), "eid-q-e").await,
    )
    .unwrap();
    let make = [
        "ocsp",
        "-issuer",
        "issuer.pem",
        "-cert",
        "subject.pem",
        "-reqout",
        "request.der",
    ];
    openssl(&folder, &make);
    let request = STANDARD.encode(fs::read(folder.join("request.der")).unwrap());
    let mut url = url::Url::parse(&format!("{}/eid-q-e", world().addresses().ocsp)).unwrap();
    url.path_segments_mut().unwrap().push(&request);
    let response = reqwest::get(url).await.unwrap();
    assert_eq!(
        response.headers()["content-type"],
        "application/ocsp-response"
    );
    fs::write(folder.join("response.der"), response.bytes().await.unwrap()).unwrap();
    let root = world().roots()[0].to_str().unwrap();
    let read = [
        "ocsp",
        "-respin",
        "response.der",
        "-issuer",
        "issuer.pem",
        "-cert",
        "subject.pem",
        "-CAfile",
        root,
        "-verify_other",
        "issuer.pem",
        "-no_nonce",
    ];
    let text = openssl(&folder, &read);
    assert!(text.contains("subject.pem: good"), "{text}");
}

#[tokio::test]
async fn nonsense_is_a_malformed_request() {
    let http = Client::new();
    let folder = scratch();
    let request = http
        .post(&world().addresses().ocsp)
        .header("content-type", "application/ocsp-request")
        .body("nonsense");
    let body = request.send().await.unwrap().bytes().await.unwrap();
    fs::write(folder.join("response.der"), body).unwrap();
    let text = openssl(&folder, &["ocsp", "-respin", "response.der", "-noverify"]);
    assert!(text.contains("malformedrequest"), "{text}");
    let request = http.post(&world().addresses().ocsp).body("nonsense");
    let status = request.send().await.unwrap().status();
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}
