//! Documents with one changed byte in their evidence: the level is that of the
//! remaining valid evidence.

use parafa_fixtures::plain;
use parafa_format_core::{Integrity, NeedKind};

use super::{signed, time_stamped};
use crate::archiving::{HIERARCHY, archived_with};
use crate::ceremony::PKI;
use crate::issuing::{Period, revocation_list};
use crate::pki::Holder;
use crate::tampering::{find, tampered};
use crate::verify::all_evidence as evidence;

/// Replaces DER in a document, raw or as hexadecimal digits.
fn replaced(document: &[u8], der: &[u8], changed: &[u8]) -> Vec<u8> {
    let hex = |der: &[u8]| -> String { der.iter().map(|byte| format!("{byte:02x}")).collect() };
    let (der, changed) = match find(document, der) {
        Some(_) => (der.to_vec(), changed.to_vec()),
        None => (hex(der).into_bytes(), hex(changed).into_bytes()),
    };
    let lower = document.to_ascii_lowercase();
    let at = find(document, &der).or_else(|| find(&lower, &der));
    let at = at.expect("it is there");
    let mut document = document.to_vec();
    document[at..at + der.len()].copy_from_slice(&changed);
    document
}

fn assert_falls(what: &str, document: &[u8], der: &[u8], inner: &[Vec<u8>], expected: &str) {
    let inner = inner.iter().find(|inner| find(der, inner).is_some());
    for (part, changed) in tampered(der, inner.map(Vec::as_slice)) {
        if (what, part) == ("root", "tag") {
            // No level depends on it: the stored authority below it may be an
            // anchor.
            continue;
        }
        let found = evidence(&replaced(document, der, &changed));
        let signature = &found.signatures[0];
        assert_eq!(signature.integrity, Integrity::Intact, "{what}: {part}");
        assert_eq!(signature.level, expected, "{what}: {part}");
    }
}

#[test]
fn a_level_is_the_one_of_the_evidence_that_holds() {
    let signed = signed(&plain(1));
    let (by_responses, _) = archived_with(&signed, |need| HIERARCHY.answer(need)).unwrap();
    let (by_lists, _) = archived_with(&signed, |need| match need.kind {
        NeedKind::Revocation => {
            let certificate = need.payload.as_bytes().unwrap();
            let certificate = openssl::x509::X509::from_der(certificate).unwrap();
            let issuer: &Holder = HIERARCHY.issuer_of(&certificate);
            need.answer(Ok(revocation_list(issuer, &[], Period::fresh())))
        }
        _ => HIERARCHY.answer(need),
    })
    .unwrap();
    let stamped = time_stamped(&by_responses, &PKI, 90);
    let mut inner = vec![PKI.stamper().to_der().unwrap()];
    inner.extend(evidence(&by_responses).certificates);

    for (document, level) in [
        (&by_responses, "PAdES-B-T"),
        (&by_lists, "PAdES-B-T"),
        // A time-stamp over changed data is invalid too.
        (&stamped, "PAdES-B-T"),
    ] {
        let found = evidence(document);
        for der in &found.revocation {
            assert_falls("revocation", document, der, &inner, level);
        }
        let root = PKI.root.certificate.to_der().unwrap();
        assert_falls("root", document, &root, &[], level);
        let token = &found.signatures[0].timestamps[0].token;
        assert_falls("time-stamp", document, token, &inner[..1], "PAdES-B-B");
    }
    let found = evidence(&stamped);
    assert_eq!(found.signatures[0].level, "PAdES-B-LTA");
    let token = &found.signatures[1].timestamps[0].token;
    assert_falls(
        "document time-stamp",
        &stamped,
        token,
        &inner[..1],
        "PAdES-B-LT",
    );
}
