//! Faults of single members.

use serde_json::{Value, json};

use crate::support::{KNOWN, Service, set, with, without};

#[tokio::test]
async fn a_fault_of_one_member_is_named_at_its_pointer() {
    let cases: Vec<(&str, Value, &str)> = vec![
        // pointer, values, their fault
        ("/title", json!([null]), "must be a string, but is null"),
        ("/title", json!([7]), "must be a string, but is a number"),
        (
            "/title",
            json!(["", " \u{A0}"]),
            "must have at least one visible character",
        ),
        (
            "/title",
            json!(["ž".repeat(256)]),
            "must have at most 255 characters, but has 256",
        ),
        (
            "/externalId",
            json!(["x".repeat(121)]),
            "must have at most 120 characters, but has 121",
        ),
        (
            "/externalId",
            json!([null]),
            "must be a string, but is null; leave the member out instead",
        ),
        ("/delivery", json!(["post"]), "must be one of link, email"),
        (
            "/delivery",
            json!([true]),
            "must be a string, but is a boolean",
        ),
        (
            "/signingOrder",
            json!(["Parallel"]),
            "must be one of parallel, sequential",
        ),
        (
            "/expiresInDays",
            json!([0, 31, 14.5, -1, u64::MAX]),
            "must be an integer from 1 to 30",
        ),
        (
            "/expiresInDays",
            json!(["14"]),
            "must be an integer, but is a string",
        ),
        (
            "/softDeadlineInDays",
            json!([0, 366]),
            "must be an integer from 1 to 365",
        ),
        (
            "/softDeadlineInDays",
            json!([null]),
            "must be an integer, but is null; leave the member out instead",
        ),
        (
            "/webhookUrl",
            json!([
                "hooks.example",
                "ftp://hooks.example",
                "https://u:p@a.example",
                "https://a.example/#f",
                " https://hooks.example/"
            ]),
            "must be an absolute https URL without credentials and fragment",
        ),
        (
            "/webhookUrl",
            json!(["http://hooks.example"]),
            "must be an https URL",
        ),
        ("/surprise", json!([1]), "is not a known member"),
        (
            "/document",
            json!(["x"]),
            "must be an object, but is a string",
        ),
        (
            "/document/name",
            json!(["a.docx"]),
            "must end in one of .pdf, .asice, .sce, .bdoc, .adoc, .bedoc, .cedoc, .gedoc, .ggedoc",
        ),
        (
            "/document/name",
            json!(["../a.pdf"]),
            "must be a file name without slashes",
        ),
        (
            "/document/name",
            json!(["a\n.pdf"]),
            "must be one line without control or directional formatting characters",
        ),
        (
            "/document/name",
            json!([["a.pdf"]]),
            "must be a string, but is an array",
        ),
        (
            "/document/content",
            json!(["%%%"]),
            "must be standard base64 with padding (line breaks are skipped)",
        ),
        (
            "/document/content",
            json!([null]),
            "must be a string, but is null",
        ),
        (
            "/document/flatten",
            json!(["true"]),
            "must be true or false, but is a string",
        ),
        ("/document/pages", json!([1]), "is not a known member"),
        (
            "/signers",
            json!([[]]),
            "must have 1 to 20 items, but has 0",
        ),
        (
            "/signers",
            json!([{}]),
            "must be an array, but is an object",
        ),
        (
            "/signers/0",
            json!(["jonas@example.lt"]),
            "must be an object, but is a string",
        ),
        (
            "/signers/0/email",
            json!(["jonas"]),
            "must be an email address",
        ),
        (
            "/signers/0/email",
            json!([null]),
            "must be a string, but is null",
        ),
        (
            "/signers/0/role",
            json!(["owner"]),
            "must be one of signer, viewer",
        ),
        (
            "/signers/0/name",
            json!(["x".repeat(501)]),
            "must have at most 500 characters, but has 501",
        ),
        (
            "/signers/0/language",
            json!(["ru"]),
            "must be one of lt, en",
        ),
        (
            "/signers/0/personalCode",
            json!(["3870318174", "38703181745 ", "३८७०३१८१७४५"]),
            "must be exactly 11 digits",
        ),
        (
            "/signers/0/personalCode",
            json!([38_703_181_745_u64]),
            "must be a string, but is a number",
        ),
        (
            "/signers/0/methods",
            json!([[]]),
            "must have 1 to 3 items, but has 0",
        ),
        (
            "/signers/0/methods",
            json!(["nfc"]),
            "must be an array, but is a string",
        ),
        (
            "/signers/0/phone",
            json!(["+37060000000"]),
            "is not a known member",
        ),
    ];
    let service = Service::new();
    for (pointer, values, detail) in cases {
        for value in values.as_array().unwrap() {
            let faults = service.faults(&with(pointer, value.clone())).await;
            assert_eq!(
                faults,
                [(pointer.to_owned(), detail.to_owned())],
                "{pointer} = {value}"
            );
        }
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
async fn a_line_that_is_shown_to_people_has_no_character_that_changes_how_it_is_shown() {
    let unfit = "must be one line without control or directional formatting characters";
    for c in [
        '\0', '\t', '\n', '\r', '\u{1B}', '\u{7F}', '\u{85}', '\u{9F}', '\u{2028}', '\u{2029}',
        '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}',
    ] {
        for (pointer, text) in [
            ("/title", format!("Sutartis{c}https://evil.example")),
            ("/externalId", format!("a{c}b")),
            ("/document/name", format!("fdp{c}.pdf")),
            ("/signers/0/name", format!("Ona{c}Onaitė")),
        ] {
            let faults = Service::new().faults(&with(pointer, json!(text))).await;
            assert_eq!(faults, [(pointer.to_owned(), unfit.to_owned())], "{text:?}");
        }
    }
    // Pasted texts have soft hyphens, names from right to left have marks, and flags have tags.
    let taken = "עברית\u{200F} می\u{200C}خواهم bendra\u{AD}darbis \u{1F3F4}\u{E0067}\u{E007F}";
    for (pointer, text) in [
        ("/title", taken.to_owned()),
        ("/externalId", taken.to_owned()),
        ("/document/name", format!("{taken}.pdf")),
        ("/signers/0/name", taken.to_owned()),
    ] {
        let created = Service::new().create(&with(pointer, json!(text))).await;
        assert_eq!(created.status, 201, "{pointer}");
    }
}
