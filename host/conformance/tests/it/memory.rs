use bytes::Bytes;
use parafa_conformance::{Answered, Input, Operation, SoftwareSigner, perform};
use parafa_plugin_host::{MemoryMeter, Plugin, TargetLevel};

use crate::support::plugin;

/// 2026-01-01, noon UTC.
const TIME: i64 = 1_767_268_800;
/// As many files as a container is composed of, and as long together as a
/// document may be that callers post.
const FILES: usize = 20;
const FILE_BYTES: usize = 15 * 1024 * 1024 / FILES;

#[tokio::test]
async fn a_container_at_the_limit_of_the_api_takes_at_most_its_length_and_a_half_of_memory() {
    let meter = MemoryMeter::default();
    let plugin = plugin("asice.wasm").await.metered(&meter);
    let [ona, jonas] = [1, 2].map(|seed| SoftwareSigner::generate(TIME, [seed; 32]).unwrap());
    let names = (0..FILES).map(|number| format!("{number}.bin")).collect();

    let file = Bytes::from(vec![b'f'; FILE_BYTES]);
    let composed = made(&plugin, Operation::Compose, names, file, &ona).await;
    let once = made(&plugin, Operation::Sign, Vec::new(), composed, &ona).await;
    let twice = made(&plugin, Operation::Sign, Vec::new(), once, &jonas).await;
    let archived = made(&plugin, Operation::Archive, Vec::new(), twice, &ona).await;

    assert!(archived.len() > FILES * FILE_BYTES);
    let (peak, most) = (meter.peak_bytes(), archived.len() / 2 * 3);
    assert!(peak > 0 && peak <= most, "{peak} bytes of {most}");
}

/// What comes out of an operation.
async fn made(
    plugin: &Plugin,
    operation: Operation,
    names: Vec<String>,
    document: Bytes,
    signer: &SoftwareSigner,
) -> Bytes {
    let input = Input {
        names,
        document,
        member: None,
        params: Vec::new(),
    };
    let answered: Answered = perform(plugin, operation, &input, signer, TargetLevel::BT)
        .await
        .unwrap();
    answered.document().unwrap().clone()
}
