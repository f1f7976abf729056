use bytes::Bytes;
use parafa_plugin_host::{
    CallError, CallLimits, ComposeRequest, ContractBreach, EvidenceError, Parameter, SourceFile,
};

use crate::support::{
    breach, component, derive_request, host, other_type, refusal_code, signed_toy, toy,
    toy_document,
};

const TOY: &str = "application/x-toy";
/// The id of the first signature of a document.
const FIRST: &str = "signature-1";

#[tokio::test]
async fn a_flattened_document_has_no_field() {
    let toy = toy().await;
    let document = toy_document("honest");
    assert_eq!(toy.inspect(document.clone()).await.unwrap().fields.len(), 1);

    let flat = toy.flatten(document, &derive_request()).await.unwrap();

    assert_eq!(flat.bytes, "FLAT honest 5\nhello");
    assert_eq!(flat.media_type, TOY);
    assert_eq!(toy.inspect(flat.bytes).await.unwrap().fields, []);
}

#[tokio::test]
async fn a_field_that_cannot_be_drawn_is_refused_by_name() {
    let document = Bytes::from("TOY honest 6\nhello?");

    let refused = toy().await.flatten(document, &derive_request()).await;

    let Err(CallError::Refused(refusal)) = refused else {
        panic!("ended otherwise")
    };
    assert_eq!(refusal.code, "flatten-refused");
    assert_eq!(refusal.subjects, ["body: it has a question mark"]);
}

#[tokio::test]
async fn what_is_told_about_a_document_that_was_made_is_passed_on() {
    let toy = toy().await;
    let request = derive_request();

    let noted = toy
        .flatten(Bytes::from("TOY honest 6\nhello~"), &request)
        .await;
    let plain = toy
        .flatten(Bytes::from("TOY honest 5\nhello"), &request)
        .await;

    assert_eq!(noted.unwrap().notes, ["approximate"]);
    assert!(plain.unwrap().notes.is_empty());
}

#[tokio::test]
async fn flattening_adds_no_signature_and_drops_none() {
    let toy = toy().await;
    let unsigned = toy_document("flatten-signs");
    assert_eq!(
        breach(toy.flatten(unsigned, &derive_request()).await),
        ContractBreach::Evidence(EvidenceError::Unasked(FIRST.to_owned()))
    );

    let signed = signed_toy("flatten-drops").await;
    assert_eq!(
        breach(toy.flatten(signed, &derive_request()).await),
        ContractBreach::Evidence(EvidenceError::EarlierGone(FIRST.to_owned()))
    );
}

#[tokio::test]
async fn what_is_flattened_or_rehearsed_is_of_a_type_that_the_plugin_takes() {
    let toy = toy().await;
    let request = derive_request();
    let (flatten, rehearse) = ("flatten-other-type", "rehearse-other-type");

    let flattened = toy.flatten(toy_document(flatten), &request).await;
    let rehearsed = toy.rehearse(toy_document(rehearse), &request).await;

    assert_eq!(breach(flattened), other_type());
    assert_eq!(breach(rehearsed), other_type());
}

#[tokio::test]
async fn a_document_is_made_of_something() {
    let toy = toy().await;

    assert_eq!(
        breach(
            toy.flatten(toy_document("flatten-nothing"), &derive_request())
                .await
        ),
        ContractBreach::Missing("the output")
    );
    assert_eq!(
        breach(toy.compose(&files(), &request("compose-nothing")).await),
        ContractBreach::Missing("the output")
    );
}

#[tokio::test]
async fn a_rehearsal_is_unsigned_and_says_so() {
    let made = toy()
        .await
        .rehearse(toy_document("honest"), &derive_request())
        .await
        .unwrap();

    assert_eq!(made.bytes, "TOY honest 14\nUNSIGNED hello");
}

#[tokio::test]
async fn a_rehearsal_of_a_signed_document_is_the_document() {
    let signed = signed_toy("honest").await;

    let made = toy()
        .await
        .rehearse(signed.clone(), &derive_request())
        .await;

    assert_eq!(made.unwrap().bytes, signed);
}

#[tokio::test]
async fn a_rehearsal_never_signs_and_never_touches_what_is_signed() {
    let toy = toy().await;
    assert_eq!(
        breach(
            toy.rehearse(toy_document("rehearse-signs"), &derive_request())
                .await
        ),
        ContractBreach::Evidence(EvidenceError::Unasked(FIRST.to_owned()))
    );

    let signed = signed_toy("rehearse-touches").await;
    assert_eq!(
        breach(toy.rehearse(signed, &derive_request()).await),
        ContractBreach::Evidence(EvidenceError::EarlierGone(FIRST.to_owned()))
    );
}

#[tokio::test]
async fn a_document_is_made_of_several_files() {
    let made = toy()
        .await
        .compose(&files(), &request("honest"))
        .await
        .unwrap();

    assert_eq!(
        made.bytes,
        "TOY honest 46\n[a.txt text/plain 3]one[b.txt text/plain 3]two"
    );
    assert_eq!(made.media_type, TOY);
}

#[tokio::test]
async fn a_document_of_many_files_needs_no_more_handles_than_are_allowed() {
    let limits = CallLimits {
        handles: 8,
        ..CallLimits::default()
    };
    let toy = host(limits)
        .admit(component("test/toy.wasm"))
        .await
        .unwrap();
    let many: Vec<_> = (0..300)
        .map(|number| file(&format!("{number}"), "x"))
        .collect();

    let made = toy.compose(&many, &request("honest")).await.unwrap();

    assert!(made.bytes.ends_with(b"[299 text/plain 1]x"));
}

#[tokio::test]
async fn what_is_composed_is_what_was_asked_for_and_can_be_read() {
    let toy = toy().await;

    assert_eq!(
        breach(toy.compose(&files(), &request("compose-garbage")).await),
        ContractBreach::InspectRefuses("not-a-toy".into())
    );
    assert_eq!(
        breach(toy.compose(&files(), &request("compose-other-type")).await),
        ContractBreach::UnknownValue {
            what: "media type that was asked for",
            value: "application/pdf".into(),
        }
    );
    assert_eq!(
        refusal_code(toy.compose(&files(), &request("dance")).await),
        "bad-request"
    );
}

fn files() -> [SourceFile; 2] {
    [file("a.txt", "one"), file("b.txt", "two")]
}

fn file(name: &str, content: &'static str) -> SourceFile {
    SourceFile {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        content: Bytes::from(content).into(),
    }
}

fn request(behaviour: &str) -> ComposeRequest {
    ComposeRequest {
        time: 1_763_700_000,
        seed: [9; 32],
        media_type: TOY.to_owned(),
        params: vec![Parameter {
            name: "behaviour".to_owned(),
            value: behaviour.to_owned(),
        }],
    }
}
