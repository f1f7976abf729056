//! Time-stamps, as OpenSSL's command line checks them.

use std::{fs, path::Path};

use parafa_demo::World;
use reqwest::{Client, StatusCode};

use crate::support::{authority_pem, openssl, scratch, world};

const DATA: &[u8] = b"what is stamped";

async fn post(world: &World, query: Vec<u8>) -> Vec<u8> {
    let response = Client::new()
        .post(&world.addresses().tsa)
        .header("content-type", "application/timestamp-query")
        .body(query)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        response.headers()["content-type"],
        "application/timestamp-reply"
    );
    response.bytes().await.unwrap().to_vec()
}

/// The reply, as text, to a query made with these arguments.
async fn reply(folder: &Path, arguments: &[&str]) -> String {
    fs::write(folder.join("data"), DATA).unwrap();
    let query = ["ts", "-query", "-data", "data", "-out", "query.tsq"];
    openssl(folder, &[&query, arguments].concat());
    let reply = post(world(), fs::read(folder.join("query.tsq")).unwrap()).await;
    fs::write(folder.join("reply.tsr"), reply).unwrap();
    openssl(folder, &["ts", "-reply", "-in", "reply.tsr", "-text"])
}

async fn verify(folder: &Path) -> String {
    let root = world().roots()[0].to_str().unwrap();
    let authority = authority_pem(world(), "tsa-ca").await;
    fs::write(folder.join("tsa-ca.pem"), authority).unwrap();
    let arguments = [
        "ts",
        "-verify",
        "-queryfile",
        "query.tsq",
        "-in",
        "reply.tsr",
        "-CAfile",
        root,
        "-untrusted",
        "tsa-ca.pem",
    ];
    openssl(folder, &arguments)
}

#[tokio::test]
async fn a_token_verifies_up_to_the_root() {
    for digest in ["-sha256", "-sha384", "-sha512"] {
        let folder = scratch();
        let reply = reply(&folder, &[digest, "-cert"]).await;
        assert!(reply.contains("Status: Granted."), "{reply}");
        assert!(reply.contains("Policy OID: 0.4.0.2023.1.1"), "{reply}");
        let verified = verify(&folder).await;
        assert!(verified.contains("Verification: OK"), "{verified}");
    }
}

#[tokio::test]
async fn a_token_for_other_data_does_not_verify() {
    let folder = scratch();
    reply(&folder, &["-sha256", "-cert"]).await;
    fs::write(folder.join("data"), b"something else").unwrap();
    openssl(
        &folder,
        &[
            "ts",
            "-query",
            "-data",
            "data",
            "-sha256",
            "-out",
            "query.tsq",
        ],
    );
    let verified = verify(&folder).await;
    assert!(verified.contains("Verification: FAILED"), "{verified}");
}

#[tokio::test]
async fn certificates_come_when_they_are_asked_for() {
    let count = |folder: &Path| {
        let token = [
            "ts",
            "-reply",
            "-in",
            "reply.tsr",
            "-token_out",
            "-out",
            "token.p7",
        ];
        openssl(folder, &token);
        let certificates = [
            "pkcs7",
            "-inform",
            "DER",
            "-in",
            "token.p7",
            "-print_certs",
            "-noout",
        ];
        openssl(folder, &certificates).matches("subject=").count()
    };
    let folder = scratch();
    reply(&folder, &["-sha256", "-cert"]).await;
    assert_eq!(count(&folder), 2, "the unit's and its authority's");
    reply(&folder, &["-sha256"]).await;
    assert_eq!(count(&folder), 0);
}

#[tokio::test]
async fn the_nonce_is_echoed() {
    let folder = scratch();
    let with_nonce = reply(&folder, &["-sha256"]).await;
    let query = openssl(&folder, &["ts", "-query", "-in", "query.tsq", "-text"]);
    let nonce = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("Nonce: "))
            .map(str::to_owned)
    };
    assert!(nonce(&query).is_some());
    assert_eq!(nonce(&with_nonce), nonce(&query));
    let without = reply(&folder, &["-sha256", "-no_nonce"]).await;
    assert_eq!(nonce(&without).as_deref(), Some("Nonce: unspecified"));
}

#[tokio::test]
async fn what_cannot_be_granted_is_rejected_with_its_reason() {
    let folder = scratch();
    for (arguments, reason) in [
        (
            ["-sha1", "-no_nonce"].as_slice(),
            "unrecognized or unsupported algorithm identifier",
        ),
        (
            ["-sha256", "-tspolicy", "1.2.3.4"].as_slice(),
            "the requested TSA policy is not supported",
        ),
    ] {
        let reply = reply(&folder, arguments).await;
        assert!(reply.contains("Status: Rejected."), "{reply}");
        assert!(reply.contains(reason), "{reply}");
    }
    fs::write(
        folder.join("reply.tsr"),
        post(world(), b"nonsense".to_vec()).await,
    )
    .unwrap();
    let reply = openssl(&folder, &["ts", "-reply", "-in", "reply.tsr", "-text"]);
    assert!(
        reply.contains("the data submitted has the wrong format"),
        "{reply}"
    );
}

#[tokio::test]
async fn another_content_type_is_415() {
    let request = Client::new().post(&world().addresses().tsa).body("x");
    let status = request.send().await.unwrap().status();
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}
