use serde_json::{Value, json};

use super::ledger::Ledger;
use super::products::AFTER_RETENTION;
use super::told::{schema_of, without_links};
use super::written::{HOOK, Left, Written, WrittenSigning, newest};
use crate::signing_api::account::{Account, ceremony_of, signing_of, text, with};
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::outside::Hook;

/// After the deadline of every signing, and after everything that waits.
const LATER: &str = "+4d";

/// Checks that a server has everything that was written, and ends all work in
/// progress.
pub(super) async fn finish(demo: &Demo, written: &Written) {
    let api = Account::live(demo);
    assert_audit_holds(demo);
    if let Some(ledger) = &written.ledger {
        ledger.assert_kept_by(demo);
    }
    if let Some(products) = &written.products {
        products.finish(demo).await;
    }

    let repetition = &written.repetition;
    let repeated = api
        .post_once(&repetition.path, repetition.body.clone(), &repetition.key)
        .await;
    assert_eq!(
        without_links(repeated.expect(201)),
        without_links(repetition.answer.clone())
    );
    assert_eq!(repeated.header("idempotent-replayed"), Some("true"));

    let (comments, said) = &written.commented;
    assert_eq!(api.get(comments).await.expect(200), *said);
    let batch = format!("v1/batches/{}", text(&written.batch, "batchId"));
    let batch = api.get(&batch).await.expect(200);
    assert_eq!(without_links(batch), without_links(written.batch.clone()));
    let document = json!({"document": {"name": "nuoma.pdf", "fileToken": written.file_token}});
    let signers = json!([{"email": "ona@example.lt"}]);
    api.create(with(signing_of(signers), document)).await;

    for signing in &written.signings {
        assert_found(&api, signing).await;
        if signing.left == Left::Signatures {
            sign(demo, &api, &signing.id).await;
        }
    }

    demo.move_clock(LATER);
    for signing in &written.signings {
        if signing.left == Left::Deadline {
            becomes(&api, &signing.id, |now| now["status"] == "expired").await;
        }
    }
    let hook = Hook::new(demo, HOOK);
    let told = hook.deliveries(2).await;
    assert!(
        told.iter()
            .all(|event| event.event()["signingId"] == written.untold),
        "{told:?}"
    );

    if let Some(products) = &written.products {
        products.assert_signed(&told);
        let ledger = Ledger::of(demo);
        for signing in &written.signings {
            let path = format!("v1/signings/{}", signing.id);
            ledger.assert_charged(&api.get(&path).await.expect(200));
        }
        demo.move_clock(AFTER_RETENTION);
        for signing in &written.signings {
            becomes(&api, &signing.id, |now| now["erasedAt"].is_string()).await;
        }
    }
    assert_audit_holds(demo);
    // Programs that know this schema only can open the data again.
    assert_eq!(schema_of(demo), written.schema);
}

fn assert_audit_holds(demo: &Demo) {
    let audited = done(&demo.data(), &["audit", "verify"]);
    assert_eq!(audited["broken"], json!([]), "{audited}");
    assert!(audited["verified"].as_u64() > Some(0), "{audited}");
}

async fn assert_found(api: &Account, signing: &WrittenSigning) {
    let WrittenSigning { id, left, .. } = signing;
    let now = api.get(&format!("v1/signings/{id}")).await.expect(200);
    assert_eq!(now["erasedAt"].is_string(), *left == Left::Erased, "{now}");
    // Work in progress may have ended already.
    if *left != Left::Signatures {
        assert_eq!(text(&now, "status"), signing.status, "{now}");
        assert_eq!(newest(api, id).await, signing.sha256, "{now}");
    }
}

/// Signs as every remaining signer, once the attempt in progress has ended. A
/// session that a provider has forgotten has failed.
async fn sign(demo: &Demo, api: &Account, id: &str) {
    let persona = demo.smart_id_personas("signs")[0];
    let path = format!("v1/signings/{id}");
    // Each round signs once, or ends the work in progress.
    for _ in 0..4 {
        let signing = api.get(&path).await.expect(200);
        if signing["status"] == "completed" {
            return;
        }
        let signers = signing["signers"].as_array().expect("signers");
        let open = signers.iter().find(|signer| signer["status"] == "pending");
        let ceremony = ceremony_of(open.unwrap_or_else(|| panic!("nobody can sign {signing}")));
        let attempt = ceremony.state().await.attempt;
        if attempt.is_none_or(|attempt| attempt.phase == "failed") {
            ceremony.begin(persona).await;
        }
        ceremony.ended_attempt().await;
    }
    let signing = api.get(&path).await.expect(200);
    assert_eq!(text(&signing, "status"), "completed", "{signing}");
}

async fn becomes(api: &Account, id: &str, is_so: impl Fn(&Value) -> bool) {
    let path = format!("v1/signings/{id}");
    for _ in 0..300 {
        if is_so(&api.get(&path).await.expect(200)) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let now = api.get(&path).await.expect(200);
    panic!("it stays {now}");
}
