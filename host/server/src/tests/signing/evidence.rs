//! Evidence of signings, and the seals over their audit trails.

use std::process::Command;

use jiff::SignedDuration;
use parafa_api_signing::requests::NewSigner;
use parafa_api_signing::{ProblemKind, SigningApi};
use parafa_fixtures::tool;
use parafa_operator::{AuditCommand, OperatorCommand, Part};
use parafa_platform::accounts::Caller;
use parafa_platform::seals;
use parafa_store::StoreError;
use parafa_store::audit::Event;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tests::support::{CALLER, Site, Stage, party};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

#[tokio::test]
async fn evidence_says_who_signed_with_what_and_is_sealed_when_the_hour_is_over() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.attempt().await;

    let before = evidence(&stage).await;
    seal(&stage).await;
    let after = evidence(&stage).await;

    let signer = &before["signers"][0];
    assert_eq!(signer["actualMethod"], "smart_id");
    assert!(signer["signedAt"].is_string(), "{signer}");
    assert_eq!(before["documents"][0]["madeBy"], Value::Null);
    let made_by = &before["documents"][1]["madeBy"];
    assert_eq!(made_by["signerId"], stage.signer.to_string());
    assert!(made_by["timeStampedAt"].is_string(), "{made_by}");
    for digest in ["certificateSha256", "pluginSha256"] {
        assert_eq!(made_by[digest].as_str().unwrap().len(), 64, "{made_by}");
    }
    assert_eq!(before["audit"]["sealed"], Value::Null);
    assert_eq!(after["audit"]["sealed"]["number"], 1);
    assert_eq!(after["audit"]["events"], before["audit"]["events"]);
    let listed = listed_seals(&stage).await;
    for name in ["size", "root", "previous", "hash", "hour"] {
        assert_eq!(listed[0][name], after["audit"]["sealed"][name], "{name}");
    }
}

#[tokio::test]
async fn evidence_is_printed_for_people_to_read() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let named = NewSigner {
        name: Some("Žydrūnė Šeškutė".to_owned()),
        ..party("zydrune@example.com")
    };
    stage.host.add_signer(stage.signing, named).await.unwrap();
    stage.attempt().await;
    seal(&stage).await;
    let told = evidence(&stage).await;

    let api = stage.host.app.signing_api();
    let print = async |caller: Caller| api.print_evidence(&caller, stage.signing.into()).await;
    let printed = print(CALLER).await.unwrap();
    let stranger = Caller {
        tenant: Uuid::from_u128(77),
        ..CALLER
    };
    let hidden = print(stranger).await.unwrap_err();
    let pdf = site.plugins.by_id("pdf").unwrap();
    site.plugins.disable(pdf.digest());
    let refused = print(CALLER).await.unwrap_err();

    assert_eq!(hidden.kind(), ProblemKind::NotFound);
    assert_eq!(refused.kind(), ProblemKind::Unavailable);
    assert!(printed.starts_with(b"%PDF-"));
    let Some(text) = text_of(&printed) else {
        return;
    };
    let prove = format!("parafaauditprove{}--json", stage.signing);
    for shown in ["ŽydrūnėŠeškutė", "Smart-ID", "PAdES-B-T", &*prove] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let audit = &told["audit"];
    for hash in [&audit["head"], &audit["sealed"]].map(|of| of["hash"].as_str().unwrap()) {
        assert!(text.contains(hash), "{hash}: {text}");
    }
}

#[tokio::test]
async fn an_erased_signing_has_no_evidence_and_its_trail_still_verifies() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.attempt().await;
    seal(&stage).await;

    stage.host.erase(stage.signing).await.unwrap();
    seal(&stage).await;

    let api = stage.host.app.signing_api();
    let refused = api.read_evidence(&CALLER, stage.signing.into()).await;
    assert_eq!(refused.unwrap_err().kind(), ProblemKind::NotFound);
    let versions = stage.signing().await.versions;
    let mut made_by = versions
        .iter()
        .filter_map(|version| version.made_by.as_ref());
    assert!(made_by.all(|made_by| made_by.signed_with.is_none()));
    let prove = AuditCommand::Prove {
        signing: stage.signing,
    };
    let trail = stage
        .host
        .carry_out(OperatorCommand::Audit(prove))
        .await
        .unwrap();
    let last = trail["events"].as_array().unwrap().last().unwrap();
    assert_eq!(last["name"], "signing.erased");
    assert_eq!(faults(&stage).await, [Value::Null, Value::Null]);
}

#[tokio::test]
async fn a_sealed_event_that_is_gone_is_told_of_its_seal() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    seal(&stage).await;
    assert_eq!(faults(&stage).await, [Value::Null]);
    let trail = evidence(&stage).await["audit"].clone();
    let sequence = trail["head"]["sequence"].as_u64().unwrap();
    let last = (stage.signing, sequence);

    let removed = stage
        .host
        .app
        .records
        .store
        .transact(|tx| Box::pin(async move { tx.delete::<Event>(&last).await }));
    let removed: Result<bool, StoreError> = removed.await;

    assert!(removed.unwrap());
    let signing = stage.signing;
    let expected = format!("event {sequence} of {signing} is not the one that was sealed");
    assert_eq!(faults(&stage).await, [json!(expected)]);
}

/// Extracts the text of a PDF, without white space; `None` counts as a skip.
fn text_of(document: &[u8]) -> Option<String> {
    let pdftotext = tool::program("pdftotext")?;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), document).unwrap();
    let mut command = Command::new(pdftotext);
    command.args(["-raw", "-enc", "UTF-8"]).arg(file.path());
    let output = command.arg("-").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.split_whitespace().collect())
}

async fn evidence(stage: &Stage<'_>) -> Value {
    let api = stage.host.app.signing_api();
    let evidence = api.read_evidence(&CALLER, stage.signing.into()).await;
    serde_json::to_value(evidence.unwrap()).unwrap()
}

/// Lets the hour pass and its seal be made.
async fn seal(stage: &Stage<'_>) {
    seals::schedule(&stage.host.app.records.store)
        .await
        .unwrap();
    stage.site.pass(HOUR * 2);
    stage.host.run_all().await;
}

async fn listed_seals(stage: &Stage<'_>) -> Vec<Value> {
    let seals = AuditCommand::Seals { after: None };
    let part = stage.host.carry_out(OperatorCommand::Audit(seals)).await;
    let part: Part = serde_json::from_value(part.unwrap()).unwrap();
    part.rows
}

/// Returns the fault of each seal.
async fn faults(stage: &Stage<'_>) -> Vec<Value> {
    let seals = listed_seals(stage).await.into_iter();
    seals.map(|seal| seal["fault"].clone()).collect()
}
