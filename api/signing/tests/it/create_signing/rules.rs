//! Faults of members that do not go together.

use parafa_api_signing::DocumentFamily;
use parafa_api_signing::requests::Source;
use serde_json::{Value, json};

use crate::support::{Service, base64, set, with, without};

const MIB: usize = 1024 * 1024;

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
async fn an_email_appears_once_however_it_is_spelled() {
    let service = Service::new();
    let body = with(
        "/signers",
        json!([
            {"email": "jonas@example.lt"}, {"email": "ona@example.lt"}, {"email": "Jonas@EXAMPLE.lt"},
            {"email": "rasa@žemė.example"}, {"email": "Rasa@xn--em-9ma32b.example"},
        ]),
    );
    assert_eq!(
        service.faults(&body).await,
        [
            (
                "/signers/2/email".to_owned(),
                "must not be that of another party: /signers/0/email is".to_owned()
            ),
            (
                "/signers/4/email".to_owned(),
                "must not be that of another party: /signers/3/email is".to_owned()
            )
        ]
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
async fn a_file_of_a_container_whose_name_is_a_path_on_a_drive_is_told_beside_other_faults() {
    let service = Service::new();
    let mut body = without("/document");
    let files = json!([{"name": "c:a.pdf", "content": "AAAA"}]);
    set(
        &mut body,
        "/container",
        json!({"format": "asice", "files": files}),
    );
    set(&mut body, "/title", json!(7));

    let pointers = service.pointers(&body).await;

    assert_eq!(pointers, ["/title", "/container/files/0/name"]);
}

#[tokio::test]
async fn a_file_of_a_container_without_an_extension_is_told_what_its_name_must_end_in() {
    let service = Service::new();
    for (format, wanted) in [
        (
            "asice",
            "must end in .pdf, the only files that an asice container takes",
        ),
        (
            "adoc",
            "must end in .pdf or .xlsx, the only files that an adoc takes",
        ),
    ] {
        for name in ["a", "a.", ".pdf", "mimetype"] {
            let mut body = without("/document");
            let files = json!([{"name": name, "content": ""}]);
            set(
                &mut body,
                "/container",
                json!({"format": format, "files": files}),
            );
            let fault = ("/container/files/0/name".to_owned(), wanted.to_owned());
            assert_eq!(
                service.faults(&body).await,
                std::slice::from_ref(&fault),
                "{name}"
            );
            set(&mut body, "/title", json!(7));
            let faults = service.faults(&body).await;
            assert!(faults.contains(&fault) && faults.len() == 2, "{faults:?}");
        }
    }
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
