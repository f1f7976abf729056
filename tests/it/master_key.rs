//! Replacement of the master key while signings are open.

use std::fs;
use std::time::{Duration, Instant};

use parafa_store::MasterKey;

use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::operator::text;

const OTHERS: &str = "PARAFA_SECRETS__OTHER_MASTER_KEY_FILES";
/// Time limit for rewrapping a few data keys.
const REWRAPPED: Duration = Duration::from_secs(30);

/// Waits until no data key is wrapped by the previous key.
async fn wait_until_rewrapped(demo: &Demo) {
    let begun = Instant::now();
    loop {
        let metrics = demo.metrics().await;
        let pending = metrics.sum("parafa_master_key_pending", &[]);
        if pending == 0.0 {
            return;
        }
        assert!(begun.elapsed() < REWRAPPED, "{pending} are pending");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn links_lead_to_their_signings_after_the_master_key_was_replaced_and_removed() {
    let mut demo = Demo::start();
    let signings = [
        demo.signing().create_plain().await,
        demo.signing().create_plain().await,
    ];
    let [key, old] = ["master.key", "old.key"].map(|name| demo.data().join(name));
    demo.stop();
    fs::rename(&key, &old).expect("moved");
    MasterKey::create(&key).expect("the next key");

    demo.start_again_with(OTHERS, text(&old));

    let told = demo.signing().signing(signings[0].signing_id).await;
    assert_eq!(told.signers[0].link(), signings[0].signers[0].link());
    demo.sign(&signings[0], 0).await;
    demo.signing().document(signings[0].signing_id).await;
    // Hosts that share a database have some minutes to follow to the next key.
    if !keeps_files() {
        return;
    }
    wait_until_rewrapped(&demo).await;
    demo.stop();
    fs::remove_file(&old).expect("removed");
    demo.start_again_with(OTHERS, "");
    let told = demo.signing().signing(signings[1].signing_id).await;
    assert_eq!(told.signers[0].link(), signings[1].signers[0].link());
    demo.sign(&signings[1], 0).await;
    demo.signing().document(signings[1].signing_id).await;
}
