//! Answers to the letter.

use std::sync::atomic::Ordering;

use axum::body::Body;
use parafa_api_signing::{
    CompletionMode, PartyRole, ProblemKind, SignerStatus, SigningMethod, SigningStatus, views,
};
use serde_json::json;

use crate::support::{KNOWN, Service, UNKNOWN, minimal, request, signer, signing, time};

#[tokio::test]
async fn a_created_signing_is_answered_with_its_address() {
    let answer = Service::new().create(&minimal()).await;
    assert_eq!(answer.status, 201);
    assert_eq!(
        answer.header("location"),
        format!("https://sign.example/v1/signings/{KNOWN}")
    );
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer.json()).unwrap(), @r#"
    {
      "signingId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f",
      "status": "pending",
      "title": "Nuomos sutartis",
      "delivery": "link",
      "signingOrder": "parallel",
      "softDeadlineAt": null,
      "externalId": null,
      "createdAt": "2026-03-01T08:00:00.000Z",
      "expiresAt": "2026-03-15T08:00:00.123Z",
      "completedAt": null,
      "completionMode": null,
      "erasedAt": null,
      "signers": [
        {
          "signerId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70",
          "role": "signer",
          "email": "jonas@example.lt",
          "name": null,
          "language": "lt",
          "status": "pending",
          "ceremonyUrl": "https://sign.example/c/abc",
          "signedAt": null,
          "declinedAt": null,
          "methodsAllowed": [
            "nfc",
            "smart_id",
            "mobile_id"
          ],
          "actualMethod": null,
          "identityLocked": false,
          "identityMatched": null,
          "simulatedAt": null
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn a_page_of_signings_has_a_cursor() {
    let page = Service::new().get("/v1/signings").await.json();
    assert_eq!(page["hasMore"], true);
    assert_eq!(page["nextCursor"], KNOWN);
    assert_eq!(page["data"][0]["signingId"], KNOWN);
    let last = views::SigningList {
        data: Vec::new(),
        has_more: false,
        next_cursor: None,
    };
    assert_eq!(
        serde_json::to_value(last).unwrap(),
        json!({"data": [], "hasMore": false, "nextCursor": null})
    );
}

#[test]
fn what_a_finished_signing_shows() {
    let signing = views::Signing {
        status: SigningStatus::Completed,
        soft_deadline_at: Some(time("2026-03-05T08:00:00Z")),
        external_id: Some("ref-1".to_owned()),
        completed_at: Some(time("2026-03-02T09:30:00.5Z")),
        completion_mode: Some(CompletionMode::QesCeremony),
        detail: Some("A sentence.".to_owned()),
        signers: vec![
            views::Signer {
                name: Some("Jonas".to_owned()),
                status: SignerStatus::Signed,
                ceremony_url: None,
                signed_at: Some(time("2026-03-02T09:30:00.5Z")),
                actual_method: Some(SigningMethod::SmartId),
                identity_locked: true,
                identity_matched: Some(true),
                ..signer()
            },
            views::Signer {
                role: PartyRole::Viewer,
                status: SignerStatus::Recorded,
                ceremony_url: None,
                methods_allowed: Vec::new(),
                ..signer()
            },
        ],
        document: Some(views::SignedDocument::signed(
            &[0xAB; 32],
            8,
            "application/pdf",
        )),
        ..signing()
    };
    insta::assert_snapshot!(serde_json::to_string_pretty(&signing).unwrap(), @r#"
    {
      "signingId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f",
      "status": "completed",
      "title": "Nuomos sutartis",
      "delivery": "link",
      "signingOrder": "parallel",
      "softDeadlineAt": "2026-03-05T08:00:00.000Z",
      "externalId": "ref-1",
      "createdAt": "2026-03-01T08:00:00.000Z",
      "expiresAt": "2026-03-15T08:00:00.123Z",
      "completedAt": "2026-03-02T09:30:00.500Z",
      "completionMode": "qes_ceremony",
      "erasedAt": null,
      "detail": "A sentence.",
      "signers": [
        {
          "signerId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70",
          "role": "signer",
          "email": "jonas@example.lt",
          "name": "Jonas",
          "language": "lt",
          "status": "signed",
          "signedAt": "2026-03-02T09:30:00.500Z",
          "declinedAt": null,
          "methodsAllowed": [
            "nfc",
            "smart_id",
            "mobile_id"
          ],
          "actualMethod": "smart_id",
          "identityLocked": true,
          "identityMatched": true,
          "simulatedAt": null
        },
        {
          "signerId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70",
          "role": "viewer",
          "email": "jonas@example.lt",
          "name": null,
          "language": "lt",
          "status": "recorded",
          "signedAt": null,
          "declinedAt": null,
          "methodsAllowed": [],
          "actualMethod": null,
          "identityLocked": false,
          "identityMatched": null,
          "simulatedAt": null
        }
      ],
      "document": {
        "sha256": "abababababababababababababababababababababababababababababababab",
        "bytes": 8,
        "mimeType": "application/pdf"
      }
    }
    "#);
}

#[test]
fn a_simulated_artifact_is_marked() {
    let document = views::SignedDocument::simulated(&[0; 32], 8, "application/pdf");
    assert_eq!(
        serde_json::to_value(document).unwrap(),
        json!({"sha256": "0".repeat(64), "bytes": 8, "mimeType": "application/pdf", "sandbox": true, "signed": false})
    );
}

#[tokio::test]
async fn a_document_is_downloaded_as_it_is() {
    let answer = Service::new()
        .get(&format!("/v1/signings/{KNOWN}/document"))
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body.as_ref(), b"%PDF-1.7");
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("x-service-document-sha256"), "ab".repeat(32));
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"Nuomos sutartis _.pdf\"; filename*=UTF-8''Nuomos%20sutartis%20%C5%BE.pdf"
    );
    assert_eq!(
        answer.header("content-security-policy"),
        "sandbox; default-src 'none'; frame-ancestors 'none'"
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-length"), "8");
    assert!(!answer.headers.contains_key("x-service-sandbox"));
}

#[tokio::test]
async fn a_document_is_read_for_nobody_who_does_not_want_it() {
    let service = Service::new();
    let path = format!("/v1/signings/{KNOWN}/document");
    let tag = service.get(&path).await.header("etag").to_owned();
    let head = request("HEAD", &path, "owner").body(Body::empty());
    let known = request("GET", &path, "owner").header("if-none-match", tag);

    let head = service.send(head.unwrap()).await;
    let known = service.send(known.body(Body::empty()).unwrap()).await;

    assert_eq!((head.status.as_u16(), known.status.as_u16()), (200, 304));
    assert_eq!(head.header("content-length"), "8");
    assert_eq!(head.header("x-service-document-sha256"), "ab".repeat(32));
    assert_eq!(service.fake.opened.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn evidence_is_a_pdf_for_those_who_ask_for_one() {
    let service = Service::new();
    let evidence = |signing: &str| format!("/v1/signings/{signing}/evidence");

    let usual = service.get(&evidence(KNOWN)).await;
    let json = service.get(&(evidence(KNOWN) + "?format=json")).await;
    let pdf = service.get(&(evidence(KNOWN) + "?format=pdf")).await;
    let unknown = service.get(&(evidence(UNKNOWN) + "?format=pdf")).await;
    let other = service.get(&(evidence(KNOWN) + "?format=html")).await;

    assert_eq!(usual.header("content-type"), "application/json");
    assert_eq!((usual.json(), usual.body), (json.json(), json.body));
    assert_eq!(pdf.header("content-type"), "application/pdf");
    let named = format!("attachment; filename=\"evidence-{KNOWN}.pdf\"");
    let disposition = pdf.header("content-disposition");
    assert!(disposition.starts_with(&named), "{disposition}");
    assert_eq!(&pdf.body[..], b"%PDF-1.7");
    assert_eq!(unknown.problem(), ProblemKind::NotFound);
    let fault = ("/format", "must be one of json, pdf");
    assert_eq!(other.faults(), [(fault.0.to_owned(), fault.1.to_owned())]);
}

#[tokio::test]
async fn a_sane_request_id_comes_back_and_another_is_replaced() {
    let service = Service::new();
    for (given, kept) in [("trace-42", true), ("two words", false)] {
        let request = request("GET", "/v1/signings", "owner")
            .header("x-request-id", given)
            .body(Body::empty());
        let answer = service.send(request.unwrap()).await;
        assert_eq!(answer.header("x-request-id") == given, kept);
        assert!(!answer.header("x-request-id").is_empty());
    }
    let refused = service
        .send(
            request("GET", "/v1/signings", "wrong")
                .body(Body::empty())
                .unwrap(),
        )
        .await;
    assert!(!refused.header("x-request-id").is_empty());
}
