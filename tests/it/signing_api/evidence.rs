use serde_json::{Value, json};

use super::account::{Account, NOBODY, signing_of, text, two};
use crate::support::demo::Demo;
use crate::support::operator::{done, refused};

#[tokio::test]
async fn evidence_has_the_audit_trail_that_operators_prove() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let id = text(&signing, "signingId");

    let evidence = api.get(&format!("v1/signings/{id}/evidence")).await;

    let evidence = evidence.expect(200);
    assert_eq!(evidence["signers"].as_array().map(Vec::len), Some(2));
    assert_eq!(evidence["documents"][0]["madeBy"], Value::Null);
    let trail = &evidence["audit"];
    assert_eq!(trail["events"][0]["name"], "signing.created");
    assert_eq!(trail["sealed"], Value::Null);
    assert_eq!(&done(&demo.data(), &["audit", "prove", id]), trail);
    assert!(refused(&demo.data(), &["audit", "prove", NOBODY]).contains("no signing"));
    assert_eq!(done(&demo.data(), &["audit", "seals"]), json!([]));
}
