//! Plugins of the previous release's contract, beside current ones.

use bytes::Bytes;
use parafa_plugin_host::{Integrity, Registry, TargetLevel, Verdict, check};

use crate::support::{Signer, done, plugin, refusal_code, toy};

#[tokio::test]
async fn a_plugin_of_the_contract_before_signs_and_verifies_beside_those_of_today() {
    let before = plugin("test/toy-0-2.wasm").await;
    let today = toy().await;
    let registry = Registry::default();
    registry.install(before.clone()).unwrap();
    registry.install(today.clone()).unwrap();
    let versions = [&before, &today].map(|plugin| plugin.contract_version());
    assert_eq!(versions, ["0.2.0", "1.0.0"]);
    let signers = ["Ona", "Jonas"].map(Signer::named);

    let mut document = Bytes::from_static(b"OLD text");
    for signer in &signers {
        let request = signer.request(TargetLevel::BT);
        let progress = before.drive_sign(document, &request, Vec::new(), signer);
        document = done(progress.await.unwrap()).bytes;
    }

    let verified = before.verify(document).await.unwrap();
    let [first, second] = &verified.signatures[..] else {
        panic!("{:?}", verified.signatures)
    };
    for signature in [first, second] {
        assert_eq!(signature.integrity, Integrity::Intact);
        assert_eq!(signature.level, "Old-B-T");
        assert_eq!(signature.timestamps.len(), 1);
        // 0.2 does not report which certificate a signature names.
        assert_eq!(signature.certificate, Verdict::unknown(check::UNNAMED));
    }
    assert_ne!(first.signer_certificate, second.signer_certificate);
}

#[tokio::test]
async fn a_plugin_of_the_contract_before_refuses_as_ever() {
    let before = plugin("test/toy-0-2.wasm").await;

    let inspected = before.inspect(Bytes::from_static(b"TOY honest 0\n")).await;

    assert_eq!(refusal_code(inspected), "not-a-toy");
}
