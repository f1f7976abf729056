use parafa_plugin_sdk::core::{Integrity, MemoryBlob, NativeEnvironment, Operation, Verdict};

use crate::inspect::inspect;
use crate::verify::verify;
use crate::{LEVEL_B, MEDIA_TYPE};

const SIGNED: &[u8] = include_bytes!("../cases/signed/letter.p7s");

#[test]
fn an_empty_document_may_be_signed() {
    let report = inspect(&NativeEnvironment, &MemoryBlob::default()).unwrap();

    assert_eq!(report.media_type, MEDIA_TYPE);
    assert_eq!(report.signatures, []);
    assert_eq!(report.obstacles, []);
}

#[test]
fn a_document_has_one_signature_at_most() {
    let report = inspect(&NativeEnvironment, &MemoryBlob(SIGNED.to_vec())).unwrap();

    assert_eq!(report.signatures.len(), 1);
    assert_eq!(report.signatures[0].signer.as_deref(), Some("Ona Onaitė"));
    let refusal = report.obstacle(Operation::Sign).unwrap();
    assert_eq!(refusal.code, "already-signed");
}

#[test]
fn a_signature_without_its_file_is_neither_intact_nor_broken() {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(SIGNED.to_vec())).unwrap();

    let signature = &evidence.signatures[0];
    assert_eq!(signature.integrity, Integrity::Unsupported);
    assert_eq!(signature.certificate, Verdict::Holds);
    assert_eq!(signature.level, LEVEL_B);
    assert_eq!(signature.digests, []);
}

#[test]
fn a_signature_whose_value_was_changed_is_broken_with_or_without_its_file() {
    let mut changed = SIGNED.to_vec();
    *changed.last_mut().unwrap() ^= 1;

    let evidence = verify(&NativeEnvironment, &MemoryBlob(changed)).unwrap();

    let integrity = evidence.signatures[0].integrity;
    assert_eq!(integrity, Integrity::SignatureMismatch);
}
