//! Answers that are too long to store.

use parafa_plugin_host::{CallError, ContractBreach, TargetLevel};

use crate::support::{
    Authorities, Signer, archive_request, breach, other_type, signed_toy, toy, toy_document,
};

/// Length of the toy's endless words.
const LONG: usize = 70 * 1024;

#[tokio::test]
async fn a_signature_with_an_answer_that_is_too_long_is_refused() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BT);
    for (behaviour, expected, is_asked) in [
        ("long-level", "level", true),
        ("long-params", "parameters of a signature", false),
        ("long-sign-type", "media type", true),
        ("long-signature-id", "signature id", true),
    ] {
        let signed = toy
            .drive_sign(toy_document(behaviour), &request, Vec::new(), &signer)
            .await;

        let is_too_long = too_long(signed);
        assert_eq!(is_too_long.0, expected, "{behaviour}");
        if is_asked {
            assert_eq!(is_too_long.1, LONG, "{behaviour}");
        }
    }
}

#[tokio::test]
async fn a_report_with_a_media_type_that_is_too_long_is_refused() {
    let report = toy().await.inspect(toy_document("long-report")).await;

    assert_eq!(too_long(report), ("media type", LONG));
}

#[tokio::test]
async fn an_archive_at_a_level_that_is_too_long_is_refused() {
    let document = signed_toy("long-archive-level").await;

    let archived = toy()
        .await
        .drive_archive(document, &archive_request(), Vec::new(), &Authorities)
        .await;

    assert_eq!(too_long(archived), ("level", LONG));
}

#[tokio::test]
async fn a_report_is_of_a_type_that_the_plugin_takes() {
    let report = toy()
        .await
        .inspect(toy_document("inspect-other-type"))
        .await;

    assert_eq!(breach(report), other_type());
}

/// Returns the name and length of the value that is too long.
fn too_long<T>(result: Result<T, CallError>) -> (&'static str, usize) {
    match breach(result) {
        ContractBreach::TooLong { what, bytes, .. } => (what, bytes),
        other => panic!("another breach: {other}"),
    }
}
