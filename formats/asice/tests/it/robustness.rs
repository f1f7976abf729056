//! Every input has an answer, and every change of a signed container is
//! detected.

use std::sync::LazyLock;

use parafa_format_asice::{members, verify};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::ceremony::{P256, inspected, signed_by};
use crate::sign::verified;

static SIGNED: LazyLock<Vec<u8>> = LazyLock::new(|| signed_by(&[&P256], "B-T"));

/// Calls every operation on a document.
fn answers(bytes: &[u8]) {
    let document = MemoryBlob(bytes.to_vec());
    let report = inspected(bytes);
    let members = members(&NativeEnvironment, &document);
    let evidence = verify(&NativeEnvironment, &document);
    if report.is_ok() {
        assert!(members.is_ok() && evidence.is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_get_an_answer(bytes in any::<Vec<u8>>()) {
        answers(&bytes);
    }

    #[test]
    fn a_container_that_is_cut_or_has_a_gap_gets_an_answer(from in any::<Index>(), to in any::<Index>()) {
        let (from, to) = (from.index(SIGNED.len()), to.index(SIGNED.len()));
        answers(&SIGNED[..from]);
        answers(&[&SIGNED[..from.min(to)], &SIGNED[from.max(to)..]].concat());
    }

    #[test]
    fn no_changed_byte_of_what_is_signed_goes_unseen(at in any::<Index>(), bits in 1_u8..) {
        let mut bytes = SIGNED.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
        answers(&bytes);
        let document = MemoryBlob(bytes);
        let (Ok(report), Ok(evidence)) = (
            inspected(&document.0),
            verify(&NativeEnvironment, &document),
        ) else {
            return Ok(());
        };
        let sound = &verified(&SIGNED).signatures[0];
        for signature in &evidence.signatures {
            if signature.integrity == Integrity::Intact {
                prop_assert_eq!(&signature.signed, &sound.signed);
                prop_assert_eq!(&signature.coverage, &sound.coverage);
                let was = members(&NativeEnvironment, &MemoryBlob(SIGNED.clone()));
                prop_assert_eq!(members(&NativeEnvironment, &document), was);
            } else {
                prop_assert_ne!(report.obstacles.len(), 0);
            }
        }
    }
}
