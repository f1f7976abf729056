use bytes::Bytes;
use parafa_conformance::{Answered, Input, Operation, SoftwareSigner, perform};
use parafa_fixtures::signed::container::manifest;
use parafa_fixtures::{Zip, ZipMember, noise};
use parafa_plugin_host::{MemoryMeter, Plugin, TargetLevel};

use crate::support::plugin;

/// 2026-01-01, noon UTC.
const TIME: i64 = 1_767_268_800;
/// The maximum number of files in a composed container, together as long as a document that callers
/// may post.
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
    let archived = signed_by_two_and_archived(&plugin, composed, [&ona, &jonas]).await;

    assert!(archived.len() > FILES * FILE_BYTES);
    let (peak, most) = (meter.peak_bytes(), archived.len() / 2 * 3);
    assert!(peak > 0 && peak <= most, "{peak} bytes of {most}");
}

#[tokio::test]
async fn a_strangers_container_takes_no_memory_for_what_its_files_inflate_to() {
    const HALF: usize = 7_800_000;
    const MOST: usize = 8 * 1024 * 1024;

    let text = vec![b'a'; 10 * 1024 * 1024];
    let stored = ZipMember::stored("stored", &noise(HALF, 1));
    let at_the_limit = vec![stored, ZipMember::deflated("deflated", &noise(HALF, 2))];
    let names = (0..10).map(|number| format!("{number}.txt"));
    let mut of_100_mib: Vec<_> = names
        .map(|name| ZipMember::deflated(&name, &text))
        .collect();
    // No archive deflates to a thousandth unless it is a bomb.
    of_100_mib.push(ZipMember::stored("picture", &noise(2 * 1024 * 1024, 3)));

    for files in [at_the_limit, of_100_mib] {
        let meter = MemoryMeter::default();
        let plugin = plugin("asice.wasm").await.metered(&meter);
        let [ona, jonas] = [1, 2].map(|seed| SoftwareSigner::generate(TIME, [seed; 32]).unwrap());

        let archived = signed_by_two_and_archived(&plugin, holding(files), [&ona, &jonas]).await;

        let evidence = plugin.verify(archived).await.unwrap();
        let levels = evidence.signatures.iter();
        let levels: Vec<_> = levels.map(|signature| signature.level.as_str()).collect();
        assert_eq!(levels, ["XAdES-B-LT"; 2]);
        let peak = meter.peak_bytes();
        assert!(peak > 0 && peak <= MOST, "{peak} bytes");
    }
}

/// A container that another program has made.
fn holding(files: Vec<ZipMember>) -> Bytes {
    let names: Vec<_> = files
        .iter()
        .map(|file| String::from_utf8_lossy(&file.name).into_owned())
        .collect();
    let named = names.iter().map(|name| (name.as_str(), "text/plain"));
    let mut members = vec![
        ZipMember::stored("mimetype", b"application/vnd.etsi.asic-e+zip"),
        ZipMember::stored("META-INF/manifest.xml", manifest(named).as_bytes()),
    ];
    members.extend(files);
    Zip::of(members).build().into()
}

async fn signed_by_two_and_archived(
    plugin: &Plugin,
    document: Bytes,
    [ona, jonas]: [&SoftwareSigner; 2],
) -> Bytes {
    let once = made(plugin, Operation::Sign, Vec::new(), document, ona).await;
    let twice = made(plugin, Operation::Sign, Vec::new(), once, jonas).await;
    made(plugin, Operation::Archive, Vec::new(), twice, ona).await
}

/// Output of an operation.
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
        companions: Vec::new(),
        member: None,
        params: Vec::new(),
    };
    let answered: Answered = perform(plugin, operation, &input, signer, TargetLevel::BT)
        .await
        .unwrap();
    answered.document().unwrap().clone()
}
