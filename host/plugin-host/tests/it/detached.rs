//! Signatures over files outside the document.

use bytes::Bytes;
use parafa_plugin_host::{CoverageKind, Document, Integrity, SourceFile, TargetLevel, Verdict};

use crate::support::{Signer, done, plugin, refusal_code, toy, toy_document};

fn beside(document: Bytes, files: &[(&str, &'static [u8])]) -> Document {
    let files = files.iter().map(|&(name, content)| SourceFile {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        content: Bytes::from_static(content).into(),
    });
    Document::from(document).with_companions(files.collect())
}

const FILES: &[(&str, &[u8])] = &[("a.txt", b"first"), ("b.txt", b"second")];
const CHANGED: &[(&str, &[u8])] = &[("a.txt", b"first"), ("b.txt", b"other")];
const NONE: &[(&str, &[u8])] = &[];

#[tokio::test]
async fn a_detached_signature_covers_the_files_beside_its_document() {
    let plugin = plugin("test/toy-detached.wasm").await;
    assert!(plugin.reads_companions());
    let signers = ["Ona", "Jonas"].map(Signer::named);

    let mut document = beside(Bytes::new(), FILES);
    for signer in &signers {
        let request = signer.request(TargetLevel::BT);
        let progress = plugin.drive_sign(document, &request, Vec::new(), signer);
        document = done(progress.await.unwrap()).document;
    }

    assert_eq!(document.companions().len(), FILES.len());
    let verified = plugin.verify(document).await.unwrap();
    assert_eq!(verified.signatures.len(), signers.len());
    for signature in verified.signatures {
        assert_eq!(signature.integrity, Integrity::Intact);
        assert_eq!(signature.coverage.kind, CoverageKind::Members);
        assert_eq!(signature.coverage.members, ["a.txt", "b.txt"]);
        let digests: Vec<_> = signature.digests.iter().map(|file| &file.digest).collect();
        assert_eq!(digests, [&Verdict::Holds; 2]);
    }
}

#[tokio::test]
async fn a_detached_signature_is_broken_by_another_file_and_unknown_without_any() {
    let plugin = plugin("test/toy-detached.wasm").await;
    let ona = Signer::named("Ona");
    let request = ona.request(TargetLevel::BB);
    let empty = beside(Bytes::new(), FILES);
    let progress = plugin.drive_sign(empty, &request, Vec::new(), &ona);
    let signed = done(progress.await.unwrap()).bytes;
    for (files, expected) in [
        (FILES, Integrity::Intact),
        (CHANGED, Integrity::DigestMismatch),
        (NONE, Integrity::Unsupported),
    ] {
        let document = beside(signed.clone(), files);
        let verified = plugin.verify(document).await.unwrap();
        assert_eq!(verified.signatures[0].integrity, expected);
    }
}

#[tokio::test]
async fn nothing_is_signed_without_files_beside_the_document() {
    let plugin = plugin("test/toy-detached.wasm").await;
    let ona = Signer::named("Ona");
    let request = ona.request(TargetLevel::BB);
    let signed = beside(Bytes::new(), FILES);
    let progress = plugin.drive_sign(signed, &request, Vec::new(), &ona);
    let alone = done(progress.await.unwrap()).bytes;

    let refused = plugin.drive_sign(alone, &request, Vec::new(), &ona).await;

    assert_eq!(refusal_code(refused), "bad-request");
}

#[tokio::test]
async fn a_caller_is_told_that_a_plugin_reads_no_files_beside_the_document() {
    let (toy, ona) = (toy().await, Signer::named("Ona"));
    let document = beside(toy_document("honest"), FILES);
    let request = ona.request(TargetLevel::BB);

    let inspected = toy.inspect(document.clone()).await;
    let signing = toy.drive_sign(document, &request, Vec::new(), &ona);

    assert_eq!(refusal_code(inspected), "bad-request");
    assert_eq!(refusal_code(signing.await), "bad-request");
}
