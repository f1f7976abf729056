//! The sandbox's unsigned artifact.

use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment, Refusal};

use super::documents::{derivation, inspected};
use crate::refusal::assert_listed;

/// The code when a limit is passed with the banner that is not without it.
const NO_ROOM: &str = "too-many-objects";

/// The code of forms that are rehearsed, though they are not signed.
const XFA: &str = "xfa";

/// Rehearses exactly the files taken for signing, and XFA forms, unless the
/// banner has too little room. The output begins with the input, is the same
/// twice and is taken as well; a signed file stays unchanged.
pub(super) fn rehearses(input: &[u8]) {
    let before = match inspected(input) {
        Ok(report) => report,
        Err(refusal) if refusal.code == XFA => {
            if let Ok(rehearsed) = rehearse(input) {
                assert!(rehearsed.starts_with(input), "the input is not kept");
            }
            return;
        }
        Err(refusal) => {
            assert_eq!(rehearse(input), Err(refusal.clone()));
            return assert_listed(&refusal);
        }
    };
    let rehearsed = match rehearse(input) {
        Ok(rehearsed) => rehearsed,
        Err(refusal) if refusal.code == NO_ROOM => return,
        Err(refusal) => panic!("what inspect takes, rehearse refuses: {refusal}"),
    };
    assert_eq!(Ok(&rehearsed), rehearse(input).as_ref());
    assert!(rehearsed.starts_with(input), "the input is not kept");
    assert_eq!(
        rehearsed.len() == input.len(),
        !before.signatures.is_empty()
    );
    if let Err(refusal) = inspected(&rehearsed)
        && refusal.code != NO_ROOM
    {
        panic!("what rehearse wrote, inspect refuses: {refusal}");
    }
}

fn rehearse(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    parafa_format_pdf::rehearse(&NativeEnvironment, &document, &derivation(), &mut out)?;
    Ok(out.0)
}
