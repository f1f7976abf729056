//! Flattening.

use parafa_fixtures::form;
use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment, Refusal};

use super::documents::{derivation, inspected};
use crate::refusal::assert_listed;

/// Forms with all kinds of fields.
pub(super) fn forms() -> Vec<Vec<u8>> {
    vec![form(3), form(40)]
}

/// Flattens twice: both outputs are equal and have nothing left to flatten. If
/// the file is taken for signing, the output is, too, without fields. A refusal
/// of fields names some.
pub(super) fn flattens(input: &[u8]) {
    let flattened = match flatten(input) {
        Ok(flattened) => flattened,
        Err(refusal) => {
            assert_eq!(
                refusal.code == "flatten-refused",
                !refusal.subjects.is_empty()
            );
            return assert_listed(&refusal);
        }
    };
    assert_eq!(Ok(&flattened), flatten(input).as_ref());
    assert_eq!(Ok(&flattened), flatten(&flattened).as_ref());
    if inspected(input).is_ok() {
        match inspected(&flattened) {
            Ok(report) => assert!(report.fields.is_empty(), "fields are left"),
            Err(refusal) => panic!("what flatten wrote, inspect refuses: {refusal}"),
        }
    }
}

fn flatten(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    parafa_format_pdf::flatten(&NativeEnvironment, &document, &derivation(), &mut out)?;
    Ok(out.0)
}
