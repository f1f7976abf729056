//! Real documents that others made: each is taken, or refused for its reason.

use std::fs;
use std::sync::Arc;

use parafa_fixtures::hostile;
use reqwest::StatusCode;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::demo::Demo;
use crate::support::referee::samples;

/// Samples at work at the same time: most of the time a device is waited for.
const AT_ONCE: usize = 6;
/// Samples that the table takes and the rules do not: the certification of the
/// one has `/P 1`, which allows no further signature (ISO 32000-2, 12.8.2.2);
/// the signature of the other locks a field that got another value later
/// (12.8.2.4).
const FORBIDDEN: [&str; 2] = ["sambit__PAdES_SmartID.pdf", "dss__test-with-vri.pdf"];

#[tokio::test]
async fn every_public_sample_is_signed_or_refused_as_its_table_says() {
    let Some(samples) = samples() else { return };
    let demo = Arc::new(Demo::start());
    let table = fs::read_to_string(samples.join("pdf.tsv")).expect("the table of the samples");
    let mut running = JoinSet::new();
    let mut wrong = Vec::new();

    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (name, verdict) = (columns[0].to_owned(), columns[5].to_owned());
        let document =
            fs::read(samples.join("pdf").join(&name)).expect("the samples of the table are there");
        let taken = !verdict.starts_with("refuse") && !FORBIDDEN.contains(&name.as_str());
        if running.len() == AT_ONCE {
            wrong.extend(
                running
                    .join_next()
                    .await
                    .expect("one is running")
                    .expect("no panic"),
            );
        }
        let demo = Arc::clone(&demo);
        running.spawn(async move {
            let got = outcome(&demo, &document).await;
            (taken != got.is_ok()).then(|| format!("{name}: {verdict}, but {got:?}"))
        });
    }
    wrong.extend(running.join_all().await.into_iter().flatten());

    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Signs a document; the error is the refusal of a document, anything else
/// fails the test.
async fn outcome(demo: &Demo, document: &[u8]) -> Result<(), String> {
    let api = demo.signing();
    let persona = demo.smart_id_personas("signs")[1];
    let signing = match api
        .try_create("sample.pdf", document, json!([{"email": "ona@example.lt"}]))
        .await
    {
        Ok(signing) => signing,
        Err(refusal) => {
            assert_eq!(refusal.status, StatusCode::BAD_REQUEST, "{refusal:?}");
            assert_eq!(refusal.problem.name(), "document-refused", "{refusal:?}");
            let detail = refusal.problem.detail.clone();
            let parts = detail.split_once(". (");
            assert!(
                parts.is_some_and(|(_, code)| code.ends_with(')')),
                "a sentence and a code: {refusal:?}"
            );
            return Err(detail);
        }
    };
    let ceremony = Demo::ceremony(signing.signers[0].link());
    ceremony
        .sign_with_smart_id(&persona.country, &persona.personal_code)
        .await
        .expect("the attempt starts");
    let attempt = ceremony.ended_attempt().await;
    if attempt.phase != "done" {
        return Err(format!("{:?}", attempt.error));
    }
    let (signed, _) = api.document(signing.signing_id).await;
    assert!(
        signed.starts_with(document),
        "the bytes of the document are kept"
    );
    Ok(())
}

#[tokio::test]
async fn every_hostile_document_is_refused_with_a_pointer_to_it() {
    let demo = Demo::start();
    let api = demo.signing();
    for case in hostile::ALL {
        let refused = api
            .try_create(
                "hostile.pdf",
                &case.bytes(),
                json!([{"email": "ona@example.lt"}]),
            )
            .await;

        let refusal = refused
            .err()
            .unwrap_or_else(|| panic!("{} is taken", case.name));
        assert_eq!(
            refusal.status,
            StatusCode::BAD_REQUEST,
            "{}: {refusal:?}",
            case.name
        );
        let pointers: Vec<&str> = refusal
            .problem
            .errors
            .iter()
            .map(|fault| fault.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/document/content"], "{}", case.name);
    }
}
