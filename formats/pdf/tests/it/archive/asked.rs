//! Needs for authorities, and refusals before any need.

use parafa_fixtures::plain;
use parafa_fixtures::signed::{Covers, Identity, SignedPdf, Signing};
use parafa_format_core::{Answer, ArchiveRequest, NeedKind};

use super::{asked, levels, long_term, needs, signed};
use crate::archiving::{HIERARCHY, archived_with, certificate, missing, request, step, subject};
use crate::issuing::{good_response, now};
use crate::verify::replaced;

#[test]
fn everything_that_is_known_to_be_missing_is_asked_for_at_once() {
    let document = signed(&plain(1));

    let first = needs(&document, &[]);
    let expected = [
        ("certificate", "Testing Issuing"),
        ("certificate", "Testing TSA"),
        ("revocation", "Ona"),
    ];
    assert_eq!(
        asked(&first),
        expected.map(|(kind, name)| (kind, name.to_owned()))
    );

    let answers: Vec<_> = first.iter().map(|need| HIERARCHY.answer(need)).collect();
    let expected = [
        ("revocation", "Testing Issuing"),
        ("revocation", "Testing TSA"),
    ];
    assert_eq!(
        asked(&needs(&document, &answers)),
        expected.map(|(kind, name)| (kind, name.to_owned()))
    );
}

#[test]
fn needs_keep_their_names_and_say_who_can_be_asked_and_of_which_time() {
    let before = now();
    let document = signed(&plain(1));
    let after = now();

    let needs = needs(&document, &[]);

    assert_eq!(needs, self::needs(&document, &[]));
    let revocation = needs
        .iter()
        .find(|need| need.kind == NeedKind::Revocation)
        .unwrap();
    let issuer = revocation.issuer.as_ref().unwrap();
    assert_eq!(*issuer, HIERARCHY.authority.certificate.to_der().unwrap());
    assert!((before..=after).contains(&revocation.time.unwrap()));
}

#[test]
fn a_responder_that_is_not_exempt_is_asked_about_too() {
    let document = signed(&plain(1));
    let mut asked = Vec::new();

    let (archived, _) = archived_with(&document, |need| {
        asked.push(subject(need));
        let certificate = certificate(need);
        if need.kind == NeedKind::Revocation && subject(need) == "Ona" {
            let answer = good_response(
                &certificate,
                &HIERARCHY.authority,
                &HIERARCHY.checked_responder,
            );
            return need.answer(Ok(answer));
        }
        HIERARCHY.answer(need)
    })
    .unwrap();

    assert!(asked.contains(&"Testing Checked Responder".to_owned()));
    assert!(!asked.contains(&"Testing Responder".to_owned()));
    assert_eq!(levels(&archived), long_term(1));
}

#[test]
fn what_is_missing_is_told_all_at_once() {
    let document = HIERARCHY.signed(&plain(1), &[&HIERARCHY.ona, &HIERARCHY.jonas]);

    let lines = missing(&document, |need| match need.kind {
        NeedKind::Revocation => need.answer(Err("the responder is silent")),
        _ => HIERARCHY.answer(need),
    });

    assert_eq!(lines.len(), 6, "{lines:?}");
    for signature in ["Signature1", "Signature2"] {
        for place in [
            "signer's chain, certificate number ",
            "signer's chain, certificate Testing Issuing: ",
            "time-stamp's chain, certificate Testing TSA: ",
        ] {
            let line = lines
                .iter()
                .find(|line| line.starts_with(&format!("{signature}: {place}")))
                .unwrap();
            assert!(line.ends_with("no revocation data: the responder is silent"));
        }
    }
}

#[test]
fn signatures_that_cannot_be_raised_are_named_before_anybody_is_asked() {
    let basic = SignedPdf::unsigned().sign(Signing::by(Identity::Ona));
    let tampered = HIERARCHY.signed(&plain(1), &[&HIERARCHY.ona]);
    let tampered = replaced(&tampered, b"Sutartis", b"Dovanoju");
    let partial = SignedPdf::unsigned().sign(Signing {
        coverage: Covers::NotTheEnd,
        with_timestamp: true,
        ..Signing::by(Identity::Ona)
    });
    let nobody = |need: &parafa_format_core::Need| -> Answer { panic!("{need:?}") };

    assert_eq!(
        missing(&basic.build(), nobody),
        ["Signature1: it has no time-stamp"]
    );
    assert_eq!(
        missing(&tampered, nobody),
        ["Signature1: it is not intact: digest-mismatch"]
    );
    assert_eq!(
        missing(&partial.build(), nobody),
        ["Signature1: it is not intact: byte-range"]
    );
    assert!(missing(&plain(1), nobody).is_empty());
}

#[test]
fn requests_that_cannot_be_carried_out_are_refused() {
    let document = signed(&plain(1));
    for (name, request) in [
        (
            "another level",
            ArchiveRequest {
                target_level: "B-LTA".to_owned(),
                ..request()
            },
        ),
        (
            "a short seed",
            ArchiveRequest {
                seed: vec![1; 31],
                ..request()
            },
        ),
        (
            "a parameter",
            ArchiveRequest {
                params: vec![("field".to_owned(), "Signature1".to_owned())],
                ..request()
            },
        ),
    ] {
        let refusal = step(&document, &request, &[]).unwrap_err();
        assert_eq!(refusal.code, "bad-request", "{name}");
    }
}
