//! Valid requests, as decoded.

use parafa_api_signing::requests::{DocumentBytes, Party, Source};
use parafa_api_signing::{
    ContainerFormat, Delivery, DocumentFamily, Language, SigningMethod, SigningOrder,
};
use serde_json::json;

use crate::support::{KNOWN, Service, base64, minimal, set, with, without};

#[tokio::test]
async fn a_minimal_request_is_filled_with_the_defaults() {
    let service = Service::new();
    assert_eq!(service.create(&minimal()).await.status, 201);
    let created = service.fake.created.lock().unwrap();
    let [request] = created.as_slice() else {
        panic!("one request")
    };
    assert_eq!(request.terms.title, "Nuomos sutartis");
    assert_eq!(
        (request.terms.delivery, request.terms.signing_order),
        (Delivery::Link, SigningOrder::Parallel)
    );
    assert_eq!(
        (
            request.terms.expires_in_days,
            request.terms.soft_deadline_in_days
        ),
        (14, None)
    );
    assert_eq!(
        (&request.terms.webhook_url, &request.terms.external_id),
        (&None, &None)
    );
    let Source::Document(document) = &request.source else {
        panic!("a document")
    };
    assert_eq!(
        (document.family, document.flatten),
        (DocumentFamily::Pdf, false)
    );
    assert!(
        matches!(&document.bytes, DocumentBytes::Content(bytes) if bytes.as_ref() == b"%PDF-1.7")
    );
    assert_eq!(document.content_pointer(), "/document/content");
    let [signer] = request.terms.signers.as_slice() else {
        panic!("one signer")
    };
    assert_eq!(
        (signer.email.as_str(), &signer.name, signer.language),
        ("jonas@example.lt", &None, Language::Lt)
    );
    assert!(
        matches!(&signer.party, Party::Signer { personal_code: None, methods } if *methods == [SigningMethod::Nfc, SigningMethod::SmartId])
    );
}

#[tokio::test]
async fn every_member_arrives_parsed() {
    let service = Service::new();
    let body = json!({
        "title": "T", "delivery": "email", "signingOrder": "sequential", "externalId": "ref-1",
        "webhookUrl": "https://hooks.example/a?b=c", "softDeadlineInDays": 365, "expiresInDays": 30,
        "document": {"name": "A.GGEDOC", "fileToken": KNOWN, "flatten": false},
        "signers": [
            {"email": "a@example.lt", "name": "Ona", "language": "en", "personalCode": "00000000000",
             "methods": ["mobile_id", "nfc"], "role": "signer"},
            {"email": "b@example.lt", "role": "viewer"},
        ],
    });
    assert_eq!(service.create(&body).await.status, 201);
    let created = service.fake.created.lock().unwrap();
    let [request] = created.as_slice() else {
        panic!("one request")
    };
    assert_eq!(
        (request.terms.delivery, request.terms.signing_order),
        (Delivery::Email, SigningOrder::Sequential)
    );
    assert_eq!(
        (
            request.terms.expires_in_days,
            request.terms.soft_deadline_in_days
        ),
        (30, Some(365))
    );
    assert_eq!(
        request.terms.webhook_url.as_ref().map(url::Url::as_str),
        Some("https://hooks.example/a?b=c")
    );
    assert_eq!(request.terms.external_id.as_deref(), Some("ref-1"));
    let Source::Document(document) = &request.source else {
        panic!("a document")
    };
    assert_eq!(document.family, DocumentFamily::Adoc);
    assert!(
        matches!(document.bytes, DocumentBytes::FileToken(token) if token.to_string() == KNOWN)
    );
    assert_eq!(document.content_pointer(), "/document/fileToken");
    let [ona, viewer] = request.terms.signers.as_slice() else {
        panic!("two parties")
    };
    assert_eq!(
        (ona.name.as_deref(), ona.language),
        (Some("Ona"), Language::En)
    );
    let Party::Signer {
        personal_code: Some(code),
        methods,
    } = &ona.party
    else {
        panic!("a locked signer")
    };
    assert_eq!(code.expose(), "00000000000");
    assert_eq!(methods, &[SigningMethod::MobileId, SigningMethod::Nfc]);
    assert!(matches!(viewer.party, Party::Viewer));
}

#[tokio::test]
async fn files_are_composed_into_a_container() {
    let service = Service::new();
    let mut body = without("/document");
    set(
        &mut body,
        "/container",
        json!({"format": "adoc", "files": [
            {"name": "a.pdf", "content": base64(b"1")}, {"name": "b.XLSX", "content": base64(b"22")},
        ]}),
    );
    assert_eq!(service.create(&body).await.status, 201);
    let created = service.fake.created.lock().unwrap();
    let Source::Container(container) = &created[0].source else {
        panic!("a container")
    };
    assert_eq!(container.format, ContainerFormat::Adoc);
    let sizes: Vec<_> = container
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.content.len()))
        .collect();
    assert_eq!(sizes, [("a.pdf", 1), ("b.XLSX", 2)]);
    let second = &container.files[1];
    assert_eq!(second.content_pointer(), "/container/files/1/content");
    assert_eq!(second.name_pointer(), "/container/files/1/name");
}

#[tokio::test]
async fn secrets_are_not_shown_by_debug() {
    let service = Service::new();
    let body = with("/signers/0/personalCode", json!("38703181745"));
    assert_eq!(service.create(&body).await.status, 201);
    assert!(!format!("{:?}", service.fake.created.lock().unwrap()).contains("38703181745"));
}
