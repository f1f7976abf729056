//! A deployment that moves from one machine to a database shared by several
//! hosts, and back.

use parafa_test_services::S3;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::Ceremony;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::operator::{done, text};

#[tokio::test]
async fn what_one_machine_has_moves_to_a_bucket_to_a_database_and_back_with_equal_audits() {
    if !keeps_files() {
        return;
    }
    let demo = Demo::start();
    let document = parafa_fixtures::plain(1);
    let signers = json!([{"email": "ona@example.lt"}]);
    let [signed, pending] = [
        demo.signing().create(&document, signers.clone()).await,
        demo.signing().create(&document, signers).await,
    ];
    sign(&demo, &demo, signed.signers[0].link().path()).await;
    let (signed_document, _) = demo.signing().document(signed.signing_id).await;
    let audited = done(&demo.data(), &["audit", "verify"]);
    assert_eq!(audited["broken"], json!([]));
    let backups = tempfile::tempdir().expect("a temporary folder");

    let backup_of = |host: &Demo, name: &str| {
        let backup = backups.path().join(name);
        done(&host.data(), &["backup", text(&backup)]);
        backup
    };
    let bucket = S3::start();
    let in_bucket = demo.restored_to_database(&backup_of(&demo, "alone"), Some(&bucket));
    let in_database = in_bucket.restored_to_database(&backup_of(&in_bucket, "bucket"), None);
    let again = in_database.restored(&backup_of(&in_database, "database"));

    for copy in [&in_bucket, &in_database, &again] {
        assert_eq!(done(&copy.data(), &["audit", "verify"]), audited);
        done(&copy.data(), &["audit", "contents"]);
        let (document, _) = copy.signing().document(signed.signing_id).await;
        assert_eq!(document, signed_document);
        assert_eq!(status(copy, pending.signing_id).await, "pending");
        sign(&demo, copy, pending.signers[0].link().path()).await;
        assert_eq!(status(copy, pending.signing_id).await, "completed");
    }
}

/// Signs at one host a signing created at another.
async fn sign(world: &Demo, host: &Demo, link: &str) {
    let person = world.smart_id_personas("signs")[0];
    let ceremony = Ceremony::new(host.world.base_url.join(link).expect("a link"));
    ceremony.sign(person).await;
}

async fn status(host: &Demo, signing: Uuid) -> Value {
    let path = format!("v1/signings/{signing}");
    let found = host.signing().call(Method::GET, &path, None).await;
    found.expect("it is there")["status"].clone()
}
