//! Real documents that others made: each is taken, or refused for its reason.

use std::collections::BTreeMap;
use std::fs;

use parafa_fixtures::hostile;
use reqwest::StatusCode;
use serde_json::json;

use crate::support::demo::Demo;
use crate::support::referee::samples;

#[tokio::test]
async fn every_public_sample_gets_the_verdict_that_its_table_names() {
    let Some(samples) = samples() else { return };
    let demo = Demo::start();
    let api = demo.signing();
    let table = fs::read_to_string(samples.join("pdf.tsv")).expect("the table of the samples");
    let mut wrong = BTreeMap::new();

    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (name, verdict) = (columns[0], columns[5]);
        let Ok(document) = fs::read(samples.join("pdf").join(name)) else {
            continue;
        };
        let expected = verdict
            .strip_prefix("refuse:")
            .map(|code| code.split([' ', ';', ',']).next().unwrap_or(code));
        let got = match api
            .try_create(
                "sample.pdf",
                &document,
                json!([{"email": "ona@example.lt"}]),
            )
            .await
        {
            Ok(_) => None,
            Err(refusal) => {
                assert!(refusal.status.is_client_error(), "{name}: {refusal:?}");
                Some((refusal.problem.name().to_owned(), refusal.problem.detail))
            }
        };
        if expected.is_some() != got.is_some() {
            wrong.insert(name.to_owned(), format!("{verdict}, but {got:?}"));
        }
    }

    assert!(wrong.is_empty(), "{wrong:#?}");
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
