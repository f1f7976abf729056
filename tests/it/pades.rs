//! PDF component, checked by pyHanko, OpenSSL and qpdf.

mod algorithms;
mod component;
mod judges;
mod layouts;
#[expect(dead_code, reason = "signatures here need no responder")]
#[path = "../../formats/pki/tests/it/pki.rs"]
mod pki;
mod samples;

use parafa_fixtures::referees::{PyHankoSignature, PyHankoVerdict};

/// Returns the differences in the verdicts on earlier signatures, as text. The
/// only allowed one is that a signature no longer covers the newest bytes.
fn changed_for_earlier_signatures(before: &PyHankoVerdict, after: &PyHankoVerdict) -> Vec<String> {
    let mut changed = Vec::new();
    for earlier in &before.signatures {
        let now = after.signatures.iter().find(|signature| {
            signature.field == earlier.field && signature.byte_range == earlier.byte_range
        });
        let Some(now) = now else {
            changed.push(format!("{} is gone", earlier.field));
            continue;
        };
        let lawful = PyHankoSignature {
            coverage: later_coverage(earlier, now),
            modification: later_modification(earlier, now),
            ..earlier.clone()
        };
        if *now != lawful {
            changed.push(format!("{earlier:?} → {now:?}"));
        }
    }
    changed
}

fn later_coverage(earlier: &PyHankoSignature, now: &PyHankoSignature) -> Option<String> {
    match (earlier.coverage.as_deref(), now.coverage.as_deref()) {
        (Some("ENTIRE_FILE"), Some("ENTIRE_REVISION")) => now.coverage.clone(),
        _ => earlier.coverage.clone(),
    }
}

/// Returns an unexpected difference in later modifications. To pyHanko, an
/// invisible signature looks like an archive time-stamp, and a signed existing
/// field like form filling.
fn later_modification(earlier: &PyHankoSignature, now: &PyHankoSignature) -> Option<String> {
    match (earlier.modification.as_deref(), now.modification.as_deref()) {
        (Some("NONE"), Some("LTA_UPDATES" | "FORM_FILLING"))
        | (Some("LTA_UPDATES"), Some("FORM_FILLING")) => now.modification.clone(),
        _ => earlier.modification.clone(),
    }
}

/// Returns whether the newest signature covers the whole file and passes at
/// level B-T.
fn newest_is_sound(after: &PyHankoVerdict) -> bool {
    let newest = after
        .signatures
        .iter()
        .max_by_key(|signature| signature.byte_range.iter().sum::<u64>());
    newest.is_some_and(|newest| {
        newest.passes()
            && newest.coverage.as_deref() == Some("ENTIRE_FILE")
            && newest.docmdp_ok == Some(true)
            && newest.level.as_deref().is_some_and(|level| level != "B-B")
    })
}
