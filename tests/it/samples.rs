//! Real external documents: each is accepted, or refused for its reason.

use std::fs;
use std::sync::Arc;

use parafa_fixtures::hostile;
use parafa_fixtures::tool::samples;
use reqwest::StatusCode;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::client::Refused;
use crate::support::demo::Demo;
use crate::support::verdicts::verdict;

/// Concurrent samples: most of the time, they wait for a device.
const AT_ONCE: usize = 4;

/// Outcome of a document.
#[derive(Debug, Eq, PartialEq)]
enum Outcome {
    Signed,
    /// The document is refused, with this code.
    Refused(String),
    /// The document was accepted, but could not be signed, for this reason.
    TakenInVain(String),
}

impl Outcome {
    /// Parses the outcome in the table. Text in parentheses after the verdict
    /// is an explanation.
    fn of(verdict: &str) -> Self {
        let verdict = verdict.split(" (").next().unwrap_or_default();
        match verdict.split_once(':') {
            Some(("refuse", code)) => Self::Refused(code.to_owned()),
            Some(("accept+note", _)) => Self::Signed,
            None if verdict == "accept" => Self::Signed,
            _ => panic!("a verdict that is not understood: {verdict}"),
        }
    }
}

#[tokio::test]
async fn every_public_sample_is_signed_or_refused_as_its_table_says() {
    let Some(samples) = samples() else { return };
    let demo = Arc::new(Demo::start());
    let table = fs::read_to_string(samples.join("pdf.tsv")).expect("the table of the samples");
    let mut running = JoinSet::new();
    let mut wrong = Vec::new();

    for row in table.lines().skip(1) {
        let (name, verdict) = verdict(row);
        let document =
            fs::read(samples.join("pdf").join(name)).expect("the samples of the table are there");
        let (name, wanted) = (name.to_owned(), Outcome::of(verdict));
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
            (got != wanted).then(|| format!("{name}: {wanted:?}, but {got:?}"))
        });
    }
    wrong.extend(running.join_all().await.into_iter().flatten());

    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Signs a document. Any problem but a refusal of the document fails the test.
async fn outcome(demo: &Demo, document: &[u8]) -> Outcome {
    let api = demo.signing();
    let persona = demo.smart_id_personas("signs")[1];
    let signing = match api
        .try_create("sample.pdf", document, json!([{"email": "ona@example.lt"}]))
        .await
    {
        Ok(signing) => signing,
        Err(refusal) => return Outcome::Refused(code(&refusal)),
    };
    let ceremony = Demo::ceremony(signing.signers[0].link());
    ceremony.begin(persona).await;
    let attempt = ceremony.ended_attempt().await;
    if attempt.phase != "done" {
        return Outcome::TakenInVain(format!("{:?}", attempt.error));
    }
    let (signed, _) = api.document(signing.signing_id).await;
    assert!(
        signed.starts_with(document),
        "the bytes of the document are kept"
    );
    Outcome::Signed
}

/// Returns the code of a refused document, which follows a sentence in
/// parentheses.
fn code(refusal: &Refused) -> String {
    assert_eq!(refusal.status, StatusCode::BAD_REQUEST, "{refusal:?}");
    assert_eq!(refusal.problem.name(), "document-refused", "{refusal:?}");
    let parts = refusal.problem.detail.rsplit_once(". (");
    let code = parts.and_then(|(_, code)| code.strip_suffix(')'));
    let code = code.unwrap_or_else(|| panic!("a sentence and a code: {refusal:?}"));
    code.to_owned()
}

#[tokio::test]
async fn every_hostile_document_is_refused_for_its_reason_with_a_pointer_to_it() {
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
        assert_eq!(code(&refusal), case.code, "{}", case.name);
        let pointers: Vec<&str> = refusal
            .problem
            .errors
            .iter()
            .map(|fault| fault.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/document/content"], "{}", case.name);
    }
}
