//! Unsigned documents.

use parafa_format_core::{MemoryBlob, NativeEnvironment, Refusal, Report};
use parafa_format_jades::inspect;
use serde_json::json;

use crate::ceremony::{ANSWER, WORLD, archived_with, evidence, step};

fn inspected(document: &[u8]) -> Result<Report, Refusal> {
    inspect(&NativeEnvironment, &MemoryBlob(document.to_vec()))
}

#[test]
fn any_json_may_be_signed_but_a_jws() {
    let detached = json!({"payload": "e30", "status": "signed"}).to_string();
    for document in [
        ANSWER,
        b"[]",
        b"null",
        b" 1 ",
        b"{\"signature\":\"of somebody\"}",
        detached.as_bytes(),
    ] {
        let report = inspected(document).unwrap();
        assert_eq!(report.media_type, "application/jose+json");
        assert_eq!(report.notes[0].code, "unsigned");
        assert!(report.obstacles.is_empty());
        assert!(evidence(document).unwrap().signatures.is_empty());
        assert!(step(document, &WORLD.p256.request("B-B"), &[]).is_ok());
    }
}

#[test]
fn what_readers_could_see_differently_is_refused() {
    let nested = "[".repeat(128);
    let long = format!("\"{}\"", "a".repeat(16 * 1024 * 1024));
    let cases: [(&str, &[u8]); 9] = [
        ("not-json", b""),
        ("not-json", b"%PDF-1.7"),
        ("not-json", b"{}\n{}"),
        ("not-json", b"\xef\xbb\xbf{}"),
        ("not-json", b"{\"a\":\"\xff\"}"),
        ("not-json", nested.as_bytes()),
        ("repeated-member", b"{\"a\":{\"b\":1,\"b\":2}}"),
        ("repeated-member", b"{\"payload\":\"\",\"payload\":\"\"}"),
        ("document-too-long", long.as_bytes()),
    ];
    for (code, document) in cases {
        let refusal = inspected(document).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        assert!(refusal.detail.ends_with('.'), "{refusal}");
        let again = step(document, &WORLD.p256.request("B-B"), &[]).unwrap_err();
        assert_eq!(again, refusal);
        assert_eq!(evidence(document).unwrap_err(), refusal);
    }
}

#[test]
fn a_payload_that_nobody_has_signed_is_not_archived() {
    let refusal = archived_with(ANSWER, |need| WORLD.answer(need)).unwrap_err();

    assert_eq!(refusal.code, "archive-incomplete");
}
