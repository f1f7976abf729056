//! Bodies of requests to the APIs for signing, due diligence and authentication.

use std::fmt::Debug;

use parafa_api_auth::requests::{
    CertificateSubmission, CompletionRequest, CreateAuthentication, PairingRequest,
};
use parafa_api_diligence::kyc::{CreateKycPackage, SimulateKycPackage};
use parafa_api_http::decode::{self, Query};
use parafa_api_http::deliveries::TestEvent;
use parafa_api_http::{Fault, FromBody};
use parafa_api_signing::requests::{
    BulkErasure, CreateBatch, CreateSigning, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use serde_json::Value;

use crate::api::{Registers, Signings};
use crate::json::{chosen, is_of};
use crate::target::Target;

/// The decoders of bodies.
///
/// The first byte chooses the operation, and whether the rest is the body or edits of
/// a sound one. A fault points to a value of the body, or to a member that one of its
/// objects lacks. A body means the same whatever the order of its members.
pub const REQUESTS: Target = Target {
    name: "requests",
    run,
    seeds,
};

/// The bit of the first byte that says that the body follows as it is.
const RAW: u8 = 0x80;

/// The request in a body, for debugging, or the faults of the body.
type Decoded = Result<String, Vec<Fault>>;
/// A decoder, and a sound body for it.
type Operation = (fn(&[u8]) -> Decoded, &'static str);

/// Operations with a sound body of each; some are there twice.
const OPERATIONS: [Operation; 20] = [
    (
        decoded::<Signings, CreateSigning>,
        r#"{"title":"Sutartis","document":{"name":"a.pdf","content":"JVBERi0=","flatten":true},"signers":[{"email":"jonas@example.lt","name":"Jonas","methods":["smart_id"]},{"email":"ona@example.lt","language":"en","personalCode":"38001085718"},{"email":"petras@example.lt","role":"viewer"}],"delivery":"email","signingOrder":"sequential","webhookUrl":"https://hooks.example.com/in?a=b","externalId":"NS-14","softDeadlineInDays":7,"expiresInDays":14}"#,
    ),
    (
        decoded::<Signings, CreateSigning>,
        r#"{"title":"Sutartis","container":{"format":"adoc","files":[{"name":"a.pdf","content":"JVBERi0="},{"name":"b.xlsx","content":"UEsDBA=="}]},"signers":[{"email":"ona@example.lt"}]}"#,
    ),
    (
        decoded::<Signings, CreateBatch>,
        r#"{"title":"Sutartis","documents":[{"name":"a.pdf","content":"JVBERi0="},{"name":"b.pdf","fileToken":"0190b5a7-0b1c-7e42-a0d3-5b6c7d8e9fa0"}],"signers":[{"email":"ona@example.lt"}]}"#,
    ),
    (
        decoded::<Signings, NewFile>,
        r#"{"name":"a.pdf","content":"JVBERi0="}"#,
    ),
    (
        decoded::<Signings, NewSigner>,
        r#"{"email":"petras@example.lt","name":"Petras"}"#,
    ),
    (
        decoded::<Signings, UpdateSigner>,
        r#"{"methods":["smart_id","mobile_id"]}"#,
    ),
    (
        decoded::<Signings, UpdateDeadline>,
        r#"{"expiresInDays":7}"#,
    ),
    (
        decoded::<Signings, BulkErasure>,
        r#"{"before":"2026-01-01T00:00:00Z"}"#,
    ),
    (
        decoded::<Signings, NewComment>,
        r#"{"body":"Laukiame.","authorLabel":"Pardavimai"}"#,
    ),
    (
        decoded::<Signings, Simulation>,
        r#"{"action":"decline","signerEmail":"ona@example.lt","reason":"Netinka"}"#,
    ),
    (
        decoded::<Signings, TestEvent>,
        r#"{"webhookUrl":"https://caller.example/hooks"}"#,
    ),
    (
        decoded::<Registers, CreateKycPackage>,
        r#"{"entityCode":"999000009","subjectRole":"manager","purpose":"AML_KYC","delivery":"link","callbackUrl":"https://caller.example/kyc"}"#,
    ),
    (
        decoded::<Registers, CreateKycPackage>,
        r#"{"entityCode":"999000009","subjectRole":"manager","purpose":"AML_KYC","delivery":"email","subjectEmail":"ona@example.lt"}"#,
    ),
    (
        decoded::<Registers, SimulateKycPackage>,
        r#"{"action":"complete"}"#,
    ),
    (
        decoded::<Registers, CreateAuthentication>,
        r#"{"audience":"https://shop.example","method":"physical","nonce":"n-0S6"}"#,
    ),
    (
        decoded::<Registers, CreateAuthentication>,
        r#"{"audience":"https://shop.example","method":"smart_id","returnUrl":"https://shop.example/back?a=b"}"#,
    ),
    (
        decoded::<Registers, CreateAuthentication>,
        r#"{"audience":"https://shop.example","method":"mobile_id","personalCode":"38001085718","phoneNumber":"+37060000666"}"#,
    ),
    (
        decoded::<Registers, CertificateSubmission>,
        r#"{"certificate":"MIIC"}"#,
    ),
    (
        decoded::<Registers, CompletionRequest>,
        r#"{"signature":"MGQCMA==","signatureAlgorithm":"ES256","signatureEncoding":"P1363","operationToken":"token"}"#,
    ),
    (
        decoded::<Registers, PairingRequest>,
        r#"{"code":"K7QX-M2VD-9RTA"}"#,
    ),
];

fn decoded<A: Default, T: FromBody<A> + Debug>(body: &[u8]) -> Decoded {
    let api = A::default();
    let query = Query::parse("");
    let decoded = decode::body(body, &query, None, |node| T::decode(&api, &node));
    match decoded {
        Ok(request) => Ok(format!("{request:?}")),
        Err(problem) => Err(problem.errors().to_vec()),
    }
}

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    let (decode, sound) = OPERATIONS[usize::from(first & !RAW) % OPERATIONS.len()];
    let sound: Value = serde_json::from_str(sound).expect("sound bodies are JSON");
    let body = chosen(&sound, first & RAW != 0, rest);
    let outcome = decode(&body);
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        let faults = outcome.expect_err("no other text is taken");
        assert!(faults.iter().all(|fault| fault.pointer.is_empty()));
        return;
    };
    // Without the members that are there twice.
    let outcome = decode(body.to_string().as_bytes());
    assert!(outcome.is_ok() || body != sound, "{outcome:?}");
    let turned = decode(reversed(&body).to_string().as_bytes());
    match (outcome, turned) {
        (Ok(asked), Ok(turned)) => assert_eq!(asked, turned),
        (Err(faults), Err(turned)) => {
            assert!(!faults.is_empty());
            assert_eq!(faults.len(), turned.len());
            for fault in faults {
                assert!(is_of(&fault.pointer, &body), "{fault:?}");
            }
        }
        (outcome, turned) => panic!("{outcome:?}, turned {turned:?}"),
    }
}

/// The same value, its members in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev();
            let members = members.map(|(name, member)| (name.clone(), reversed(member)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let numbered = (0..).zip(OPERATIONS);
    numbered
        .flat_map(|(number, (_, body))| [vec![number], [&[number | RAW], body.as_bytes()].concat()])
        .collect()
}
