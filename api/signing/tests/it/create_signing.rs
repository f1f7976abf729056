//! `POST /v1/signings`: what is taken, and every fault of what is not.

use parafa_api_signing::requests::{DocumentBytes, Party, Source};
use parafa_api_signing::{
    ContainerFormat, Delivery, DocumentFamily, Language, ProblemKind, SigningMethod, SigningOrder,
};
use serde_json::{Value, json};

use crate::support::{KNOWN, Service, base64, minimal, set, with, without};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn a_minimal_request_is_filled_with_the_defaults() {
    let service = Service::new();
    assert_eq!(service.create(&minimal()).await.status, 201);
    let created = service.fake.created.lock().unwrap();
    let [request] = created.as_slice() else {
        panic!("one request")
    };
    assert_eq!(request.title, "Nuomos sutartis");
    assert_eq!(
        (request.delivery, request.signing_order),
        (Delivery::Link, SigningOrder::Parallel)
    );
    assert_eq!(
        (request.expires_in_days, request.soft_deadline_in_days),
        (14, None)
    );
    assert_eq!((&request.webhook_url, &request.external_id), (&None, &None));
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
    assert_eq!(request.source.content_pointer(0), "/document/content");
    let [signer] = request.signers.as_slice() else {
        panic!("one signer")
    };
    assert_eq!(
        (signer.email.as_str(), &signer.name, signer.language),
        ("jonas@example.lt", &None, Language::Lt)
    );
    assert!(
        matches!(&signer.party, Party::Signer { personal_code: None, methods } if *methods == SigningMethod::EVERY)
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
        (request.delivery, request.signing_order),
        (Delivery::Email, SigningOrder::Sequential)
    );
    assert_eq!(
        (request.expires_in_days, request.soft_deadline_in_days),
        (30, Some(365))
    );
    assert_eq!(
        request.webhook_url.as_ref().map(url::Url::as_str),
        Some("https://hooks.example/a?b=c")
    );
    assert_eq!(request.external_id.as_deref(), Some("ref-1"));
    let Source::Document(document) = &request.source else {
        panic!("a document")
    };
    assert_eq!(document.family, DocumentFamily::Adoc);
    assert!(
        matches!(document.bytes, DocumentBytes::FileToken(token) if token.to_string() == KNOWN)
    );
    assert_eq!(request.source.content_pointer(0), "/document/fileToken");
    let [ona, viewer] = request.signers.as_slice() else {
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
    assert_eq!(
        created[0].source.content_pointer(1),
        "/container/files/1/content"
    );
}

#[tokio::test]
async fn secrets_are_not_shown_by_debug() {
    let service = Service::new();
    let body = with("/signers/0/personalCode", json!("38703181745"));
    assert_eq!(service.create(&body).await.status, 201);
    assert!(!format!("{:?}", service.fake.created.lock().unwrap()).contains("38703181745"));
}

#[tokio::test]
async fn a_fault_of_one_member_is_named_at_its_pointer() {
    let cases: Vec<(&str, Value, &str)> = vec![
        ("/title", json!(null), "must be a string, and is null"),
        ("/title", json!(7), "must be a string, and is a number"),
        (
            "/title",
            json!(""),
            "must have at least one visible character",
        ),
        (
            "/title",
            json!(" \u{200B}"),
            "must have at least one visible character",
        ),
        (
            "/title",
            json!("ž".repeat(256)),
            "must have at most 255 characters, and has 256",
        ),
        (
            "/externalId",
            json!("x".repeat(121)),
            "must have at most 120 characters, and has 121",
        ),
        ("/externalId", json!(null), "must be a string, and is null"),
        ("/delivery", json!("post"), "must be one of link, email"),
        (
            "/delivery",
            json!(true),
            "must be a string, and is a boolean",
        ),
        (
            "/signingOrder",
            json!("Parallel"),
            "must be one of parallel, sequential",
        ),
        (
            "/expiresInDays",
            json!(0),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!(31),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!(14.0),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!(-1),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!(u64::MAX),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!("14"),
            "must be an integer, and is a string",
        ),
        (
            "/softDeadlineInDays",
            json!(0),
            "must be an integer from 1 to 365",
        ),
        (
            "/softDeadlineInDays",
            json!(366),
            "must be an integer from 1 to 365",
        ),
        (
            "/softDeadlineInDays",
            json!(null),
            "must be an integer, and is null",
        ),
        (
            "/webhookUrl",
            json!("hooks.example"),
            "must be an absolute https URL without credentials and fragment",
        ),
        (
            "/webhookUrl",
            json!("ftp://hooks.example"),
            "must be an absolute https URL without credentials and fragment",
        ),
        (
            "/webhookUrl",
            json!("https://u:p@a.example"),
            "must be an absolute https URL without credentials and fragment",
        ),
        (
            "/webhookUrl",
            json!("https://a.example/#f"),
            "must be an absolute https URL without credentials and fragment",
        ),
        (
            "/webhookUrl",
            json!("http://hooks.example"),
            "must be an https URL",
        ),
        ("/surprise", json!(1), "is not a known member"),
        (
            "/document",
            json!("x"),
            "must be an object, and is a string",
        ),
        (
            "/document/name",
            json!("a.docx"),
            "must end in one of .pdf, .asice, .sce, .bdoc, .adoc, .bedoc, .cedoc, .gedoc, .ggedoc",
        ),
        (
            "/document/name",
            json!("../a.pdf"),
            "must be a file name without slashes and control characters",
        ),
        (
            "/document/name",
            json!("a\n.pdf"),
            "must be a file name without slashes and control characters",
        ),
        (
            "/document/name",
            json!(["a.pdf"]),
            "must be a string, and is an array",
        ),
        (
            "/document/content",
            json!("%%%"),
            "must be standard base64 with padding and without line breaks",
        ),
        (
            "/document/content",
            json!(null),
            "must be a string, and is null",
        ),
        (
            "/document/flatten",
            json!("true"),
            "must be true or false, and is a string",
        ),
        ("/document/pages", json!(1), "is not a known member"),
        ("/signers", json!([]), "must have 1 to 20 items, and has 0"),
        ("/signers", json!({}), "must be an array, and is an object"),
        (
            "/signers/0",
            json!("jonas@example.lt"),
            "must be an object, and is a string",
        ),
        (
            "/signers/0/email",
            json!("jonas"),
            "must be an email address",
        ),
        (
            "/signers/0/email",
            json!(null),
            "must be a string, and is null",
        ),
        (
            "/signers/0/role",
            json!("owner"),
            "must be one of signer, viewer",
        ),
        (
            "/signers/0/name",
            json!("x".repeat(501)),
            "must have at most 500 characters, and has 501",
        ),
        ("/signers/0/language", json!("ru"), "must be one of lt, en"),
        (
            "/signers/0/personalCode",
            json!("3870318174"),
            "must be exactly 11 digits",
        ),
        (
            "/signers/0/personalCode",
            json!("38703181745 "),
            "must be exactly 11 digits",
        ),
        (
            "/signers/0/personalCode",
            json!("३८७०३१८१७४५"),
            "must be exactly 11 digits",
        ),
        (
            "/signers/0/personalCode",
            json!(38_703_181_745_u64),
            "must be a string, and is a number",
        ),
        (
            "/signers/0/methods",
            json!([]),
            "must have 1 to 3 items, and has 0",
        ),
        (
            "/signers/0/methods",
            json!("nfc"),
            "must be an array, and is a string",
        ),
        (
            "/signers/0/phone",
            json!("+37060000000"),
            "is not a known member",
        ),
    ];
    let service = Service::new();
    for (pointer, value, detail) in cases {
        let faults = service.faults(&with(pointer, value.clone())).await;
        assert_eq!(
            faults,
            [(pointer.to_owned(), detail.to_owned())],
            "{pointer} = {value}"
        );
    }
}

#[tokio::test]
async fn faults_inside_lists_are_named_at_the_item() {
    let service = Service::new();
    let methods = with("/signers/0/methods", json!(["nfc", "sms", "nfc"]));
    assert_eq!(
        service.faults(&methods).await,
        [
            (
                "/signers/0/methods/1".to_owned(),
                "must be one of nfc, smart_id, mobile_id".to_owned()
            ),
            (
                "/signers/0/methods/2".to_owned(),
                "must not appear twice".to_owned()
            ),
        ]
    );
}

#[tokio::test]
async fn a_missing_member_is_named_where_it_would_stand() {
    let service = Service::new();
    for pointer in ["/title", "/signers", "/document/name", "/signers/0/email"] {
        let faults = service.faults(&without(pointer)).await;
        assert_eq!(faults, [(pointer.to_owned(), "is required".to_owned())]);
    }
}

#[tokio::test]
async fn exactly_one_of_document_and_container_is_needed() {
    let service = Service::new();
    assert_eq!(service.pointers(&without("/document")).await, ["/document"]);
    let both = with(
        "/container",
        json!({"format": "asice", "files": [{"name": "a.pdf", "content": ""}]}),
    );
    assert_eq!(service.pointers(&both).await, ["/document"]);
    let both_with_a_fault = with("/container", json!({"format": "zip"}));
    assert_eq!(
        service.pointers(&both_with_a_fault).await,
        ["/document", "/container/format", "/container/files"]
    );
}

#[tokio::test]
async fn exactly_one_of_content_and_file_token_is_needed() {
    let service = Service::new();
    assert_eq!(
        service.pointers(&without("/document/content")).await,
        ["/document/content"]
    );
    assert_eq!(
        service
            .pointers(&with("/document/fileToken", json!(KNOWN)))
            .await,
        ["/document/content"]
    );
    let mut token = without("/document/content");
    set(&mut token, "/document/fileToken", json!("not-a-uuid"));
    assert_eq!(
        service.faults(&token).await,
        [(
            "/document/fileToken".to_owned(),
            "must be a UUID".to_owned()
        )]
    );
}

#[tokio::test]
async fn only_a_pdf_can_be_flattened() {
    let service = Service::new();
    let mut body = with("/document/flatten", json!(true));
    assert_eq!(service.create(&body).await.status, 201);
    set(&mut body, "/document/name", json!("a.asice"));
    assert_eq!(service.pointers(&body).await, ["/document/flatten"]);
}

#[tokio::test]
async fn an_mdoc_passes_so_that_it_can_be_refused_by_name() {
    let service = Service::new();
    assert_eq!(
        service
            .create(&with("/document/name", json!("a.mdoc")))
            .await
            .status,
        201
    );
    let created = service.fake.created.lock().unwrap();
    assert!(
        matches!(&created[0].source, Source::Document(document) if document.family == DocumentFamily::Mdoc)
    );
}

#[tokio::test]
async fn an_email_appears_once_whatever_its_case() {
    let service = Service::new();
    let body = with(
        "/signers",
        json!([
            {"email": "jonas@example.lt"}, {"email": "ona@example.lt"}, {"email": "Jonas@EXAMPLE.lt"},
        ]),
    );
    assert_eq!(
        service.faults(&body).await,
        [(
            "/signers/2/email".to_owned(),
            "must not be that of another party".to_owned()
        )]
    );
}

#[tokio::test]
async fn somebody_has_to_sign() {
    let service = Service::new();
    let viewers = with(
        "/signers",
        json!([{"email": "a@example.lt", "role": "viewer"}]),
    );
    assert_eq!(
        service.faults(&viewers).await,
        [(
            "/signers".to_owned(),
            "must have at least one party of role signer".to_owned()
        )]
    );
}

#[tokio::test]
async fn a_viewer_has_no_lock_and_no_methods() {
    let service = Service::new();
    let body = with(
        "/signers",
        json!([
            {"email": "a@example.lt"},
            {"email": "b@example.lt", "role": "viewer", "methods": ["nfc"], "personalCode": "38703181745"},
        ]),
    );
    assert_eq!(
        service.pointers(&body).await,
        ["/signers/1/methods", "/signers/1/personalCode"]
    );
}

#[tokio::test]
async fn there_are_at_most_twenty_parties_and_files() {
    let service = Service::new();
    let parties = |count: usize| -> Value {
        (0..count)
            .map(|n| json!({"email": format!("n{n}@example.lt")}))
            .collect::<Vec<_>>()
            .into()
    };
    assert_eq!(
        service.create(&with("/signers", parties(20))).await.status,
        201
    );
    assert_eq!(
        service.pointers(&with("/signers", parties(21))).await,
        ["/signers"]
    );
    let files = |count: usize| -> Value {
        let files: Vec<_> = (0..count)
            .map(|n| json!({"name": format!("{n}.pdf"), "content": ""}))
            .collect();
        let mut body = without("/document");
        set(
            &mut body,
            "/container",
            json!({"format": "asice", "files": files}),
        );
        body
    };
    assert_eq!(service.create(&files(20)).await.status, 201);
    assert_eq!(service.pointers(&files(21)).await, ["/container/files"]);
    assert_eq!(service.pointers(&files(0)).await, ["/container/files"]);
}

#[tokio::test]
async fn files_of_a_container_fit_its_format_and_have_distinct_names() {
    let service = Service::new();
    let mut body = without("/document");
    let file = |name: &str| json!({"name": name, "content": ""});
    set(
        &mut body,
        "/container",
        json!({
            "format": "asice", "files": [file("a.pdf"), file("b.xlsx"), file("a.pdf"), file("c.txt"), {"name": "d.pdf"}],
        }),
    );
    let pointers = [
        "/container/files/1/name",
        "/container/files/2/name",
        "/container/files/3/name",
        "/container/files/4/content",
    ];
    assert_eq!(service.pointers(&body).await, pointers);
    set(&mut body, "/container/format", json!("adoc"));
    assert_eq!(service.pointers(&body).await, pointers[1..]);
}

#[tokio::test]
async fn a_document_has_at_most_fifteen_mebibytes() {
    let service = Service::new();
    let fits = with("/document/content", json!(base64(&vec![0; 15 * MIB])));
    assert_eq!(service.create(&fits).await.status, 201);
    let too_large = with("/document/content", json!(base64(&vec![0; 15 * MIB + 1])));
    assert_eq!(
        service.faults(&too_large).await,
        [(
            "/document/content".to_owned(),
            "must decode to at most 15728640 bytes".to_owned()
        )]
    );
}

#[tokio::test]
async fn files_of_a_container_have_at_most_fifteen_mebibytes_together() {
    let service = Service::new();
    let mut body = without("/document");
    let file = |name: &str, size: usize| json!({"name": name, "content": base64(&vec![0; size])});
    set(
        &mut body,
        "/container",
        json!({"format": "asice", "files": [file("a.pdf", 8 * MIB), file("b.pdf", 7 * MIB)]}),
    );
    assert_eq!(service.create(&body).await.status, 201);
    set(&mut body, "/container/files/1", file("b.pdf", 7 * MIB + 1));
    assert_eq!(
        service.pointers(&body).await,
        ["/container/files/1/content"]
    );
}

#[tokio::test]
async fn all_faults_come_at_once_in_the_order_of_the_document() {
    let service = Service::new();
    let body = r#"{
        "expiresInDays": 99,
        "a/b~c": 1,
        "signers": [
            {"name": 5, "email": "x"},
            {"email": "viewer@example.lt", "role": "viewer", "methods": ["nfc"]},
            {"role": "chief"}
        ],
        "delivery": null,
        "document": {"flatten": 1, "name": "a"},
        "delivery": "link"
    }"#;
    let pointers: Vec<_> = service
        .create_raw(body)
        .await
        .faults()
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(
        pointers,
        [
            "/expiresInDays",
            "/a~1b~0c",
            "/signers/0/name",
            "/signers/0/email",
            "/signers/1/methods",
            "/signers/2/role",
            "/signers/2/email",
            "/delivery",
            "/document/flatten",
            "/document/name",
            "/document/content",
            "/delivery",
            "/title",
        ]
    );
    assert!(service.fake.created.lock().unwrap().is_empty());
}

#[tokio::test]
async fn faults_of_the_query_come_with_those_of_the_body() {
    let service = Service::new();
    let request = crate::support::json_request(
        "POST",
        "/v1/signings?dryRun=1",
        "owner",
        without("/title").to_string(),
    );
    let answer = service.send(request).await;
    let pointers: Vec<_> = answer
        .faults()
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(pointers, ["/dryRun", "/title"]);
}

#[tokio::test]
async fn a_body_that_is_no_object_has_one_fault_at_the_root() {
    let service = Service::new();
    for (body, detail) in [
        ("", "must be a JSON object, and is empty"),
        ("[]", "must be an object, and is an array"),
        ("null", "must be an object, and is null"),
    ] {
        assert_eq!(
            service.create_raw(body).await.faults(),
            [(String::new(), detail.to_owned())]
        );
    }
    for body in [
        "{",
        "{\"title\": \"\\ud800\"}",
        "{} x",
        "{'title': 1}",
        "\u{FEFF}{}",
    ] {
        let faults = service.create_raw(body).await.faults();
        let [(pointer, detail)] = faults.as_slice() else {
            panic!("{body}: {faults:?}")
        };
        assert!(
            pointer.is_empty() && detail.starts_with("is not readable as JSON: "),
            "{body}: {detail}"
        );
    }
    assert_eq!(
        service.create_raw("[".repeat(1000)).await.problem(),
        ProblemKind::ValidationFailed
    );
    assert_eq!(
        service
            .create_raw(&b"{\"title\": \"\xFF\"}"[..])
            .await
            .problem(),
        ProblemKind::ValidationFailed
    );
}
