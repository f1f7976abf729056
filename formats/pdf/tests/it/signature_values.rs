//! Unusual signature values: BER, tokens without their certificate, and none.

use parafa_fixtures::signed::{Flaw, Identity, SignedPdf, Signing};
use parafa_format_core::{Integrity, SignatureEvidence, TimestampStatus};

use crate::ceremony::P256;
use crate::intake::{inspected, notes};
use crate::real_samples::integrities;
use crate::verify::{evidence, first_integrity};

fn once() -> SignedPdf {
    SignedPdf::unsigned().sign(Signing::by(Identity::Ona))
}

fn integrity(document: SignedPdf) -> Integrity {
    last(document).integrity
}

fn last(document: SignedPdf) -> SignatureEvidence {
    evidence(&document.build()).pop().unwrap()
}

/// Rewrites the value, which has a two-byte length, with another form of
/// length.
fn with_length(value: &[u8], form: &[u8], end: &[u8]) -> Vec<u8> {
    let (head, content) = value.split_at(4);
    assert_eq!(head[1], 0x82, "a length of two bytes");
    let form = if form == [0x80] {
        form.to_vec()
    } else {
        [form, &head[2..]].concat()
    };
    [&head[..1], &form, content, end].concat()
}

#[test]
fn bytes_behind_a_signature_in_ber_count_as_little_as_behind_one_in_der() {
    let forms: [(&[u8], &[u8]); 4] = [
        (&[0x82], &[]),
        (&[0x80], &[0, 0]),
        (&[0x83, 0], &[]),
        (&[0x85, 0, 0, 0], &[]),
    ];
    for (form, end) in forms {
        for behind in [&[][..], &[0xFF, 0x30], &[0, 0, 0x01]] {
            let rewritten = |value: Vec<u8>| [&with_length(&value, form, end), behind].concat();
            let turned_over = |mut value: Vec<u8>| {
                *value.last_mut().unwrap() ^= 1;
                rewritten(value)
            };
            let cut_short = |mut value: Vec<u8>| {
                value.truncate(value.len() / 2);
                rewritten(value)
            };

            let why = format!("{form:?} {behind:?}");
            assert_eq!(
                integrity(once().with_rewritten_value(rewritten)),
                Integrity::Intact,
                "{why}"
            );
            let changed = once().with_rewritten_value(turned_over);
            assert_eq!(integrity(changed), Integrity::SignatureMismatch, "{why}");
            let short = once().with_rewritten_value(cut_short);
            assert_eq!(integrity(short), Integrity::Malformed, "{why}");
        }
    }
}

#[test]
fn the_certificate_of_a_document_time_stamp_may_be_in_the_security_store_alone() {
    let stored = |identity| {
        once()
            .stamp_without_certificate()
            .with_stored_certificate(identity)
    };
    let found = |document: SignedPdf| {
        let stamp = last(document);
        let is_known = stamp.signer_certificate.is_some();
        (stamp.integrity, stamp.timestamps[0].status, is_known)
    };

    let intact = (Integrity::Intact, TimestampStatus::Intact, true);
    assert_eq!(found(stored(Identity::Clock)), intact);
    let unknown = (Integrity::Malformed, TimestampStatus::Unverifiable, false);
    assert_eq!(found(stored(Identity::Jonas)), unknown);
    assert_eq!(found(once().stamp_without_certificate()), unknown);
    let damaged = stored(Identity::Clock).with_replaced("(Sutartis", "(SutartYs");
    assert_eq!(last(damaged).integrity, Integrity::DigestMismatch);
    let other_value = stored(Identity::Clock).with_other_value();
    assert_eq!(last(other_value).integrity, Integrity::SignatureMismatch);
}

/// Only a time-stamp token may lack its certificate.
#[test]
fn a_signature_without_its_certificate_is_malformed_whatever_is_stored() {
    let signing = Signing {
        flaw: Some(Flaw::NoCertificate),
        ..Signing::by(Identity::Ona)
    };
    let document = SignedPdf::unsigned()
        .sign(signing)
        .with_stored_certificate(Identity::Ona);

    assert_eq!(integrity(document), Integrity::Malformed);
}

/// DSS ignores it; pyHanko cannot read such a file.
#[test]
fn what_was_prepared_and_not_signed_is_no_signature() {
    let prepared = SignedPdf::unsigned().prepare(Signing::by(Identity::Ona));
    let document = prepared.build();

    let report = inspected(&document).unwrap();
    assert_eq!(report.signatures.len(), 0);
    assert_eq!(notes(&document), ["signature-prepared"]);
    assert_eq!(integrities(&document), Ok(Vec::new()));
    let signed = P256.signs(&document).unwrap();
    assert_eq!(integrities(&signed), Ok(vec!["intact".to_owned()]));
    assert_eq!(notes(&signed), ["signature-prepared", "signed"]);
}

#[test]
fn what_stands_for_a_signature_and_is_none_is_malformed() {
    let with = |contents: &str| {
        let field = format!("<< /FT /Sig /T (A) /V << /Type /Sig {contents} >> >>");
        let amended = SignedPdf::unsigned().amended(|draft| {
            draft.fields = "7 0 R ".into();
            vec![(7, field), (40, "<0000>".into())]
        });
        integrities(&amended.build()).unwrap()
    };

    for none in ["", "/Contents null", "/Contents <>", "/Contents <0000>"] {
        assert_eq!(with(none), [""; 0], "{none}");
    }
    for some in [
        "/Contents <0001>",
        "/Contents 40 0 R",
        "/Contents 7",
        "/Contents [<00>]",
    ] {
        assert_eq!(with(some), ["malformed"], "{some}");
    }
}

/// Unknown parts of a signature must not hide its defects.
#[test]
fn what_is_unknown_hides_no_change_and_is_not_called_good() {
    use Integrity::{DigestMismatch, Intact, SignatureMismatch, Unsupported};

    type Rewrite = fn(Vec<u8>) -> Vec<u8>;

    const ECDSA_WITH_SHA256: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02";
    const SHA256: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01";

    /// Replaces the algorithm in its last place, SignerInfo.
    fn with_last_arc(mut value: Vec<u8>, oid: &[u8]) -> Vec<u8> {
        let at = value.windows(oid.len()).rposition(|window| window == oid);
        value[at.unwrap() + oid.len() - 1] = 0x7f;
        value
    }
    let forget: [(&str, Rewrite); 3] = [
        ("nothing", |value| value),
        ("how it was signed", |value| {
            with_last_arc(value, ECDSA_WITH_SHA256)
        }),
        ("how it is digested", |value| with_last_arc(value, SHA256)),
    ];
    let expected = [
        [Intact, DigestMismatch, SignatureMismatch],
        [Unsupported, DigestMismatch, Unsupported],
        [Unsupported, Unsupported, SignatureMismatch],
    ];
    for ((what, forget), expected) in forget.into_iter().zip(expected) {
        let turned_over = |value: Vec<u8>| {
            let mut value = forget(value);
            *value.last_mut().unwrap() ^= 1;
            value
        };
        let sound = once().with_rewritten_value(forget).build();
        let mut changed = sound.clone();
        changed[10] ^= 1;
        let broken = once().with_rewritten_value(turned_over).build();
        for ((document, change), expected) in [
            (sound, "nothing"),
            (changed, "a byte of the document"),
            (broken, "the value"),
        ]
        .into_iter()
        .zip(expected)
        {
            let found = first_integrity(&document);
            assert_eq!(found, expected, "{what} is not known, {change} is changed");
        }
    }
}
