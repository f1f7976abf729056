//! Archiving adds what it takes to verify, and nothing else.

use std::collections::BTreeSet;

use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_fixtures::signed::{Covers, Identity, SignedPdf, Signing};
use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::{
    Answer, ArchiveRequest, Integrity, MemoryBlob, NativeEnvironment, NeedKind, Preservation,
    SignRequest, Step,
};
use parafa_format_pdf::{about, inspect, verify};

use crate::archiving::{
    HIERARCHY, answered, archived, archived_with, missing, request, step, subject,
};
use crate::ceremony::{PKI, Person};
use crate::earlier_signatures::{object, updated, with_entries};
use crate::issuing::{
    Period, Told, now, ocsp_response, ocsp_try_later, revocation_list, revocation_list_for,
};
use crate::pki::{Holder, Role, ec_key, issue};
use crate::referees::{assert_openssl_accepts, assert_qpdf_accepts};

fn signed(document: &[u8]) -> Vec<u8> {
    HIERARCHY.signed(document, &[&HIERARCHY.ona])
}

fn levels(document: &[u8]) -> Vec<(String, Integrity)> {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap();
    evidence
        .into_iter()
        .map(|signature| (signature.level, signature.integrity))
        .collect()
}

fn long_term(signatures: usize) -> Vec<(String, Integrity)> {
    vec![("PAdES-B-LT".to_owned(), Integrity::Intact); signatures]
}

fn needs(document: &[u8], answers: &[Answer]) -> Vec<parafa_format_core::Need> {
    match step(document, &request(), answers).unwrap() {
        (Step::Needs(needs), _) => needs,
        (Step::Done(outcome), _) => panic!("{outcome:?}"),
    }
}

/// Sound answers, but one for the certificate of this name.
fn but(
    name: &str,
    other: impl Fn(&X509, &Holder) -> Vec<u8>,
) -> impl FnMut(&parafa_format_core::Need) -> Answer {
    move |need| {
        if need.kind == NeedKind::Revocation && subject(need) == name {
            let certificate = X509::from_der(&need.payload).unwrap();
            let issuer = HIERARCHY.issuer_of(&certificate);
            return answered(need, Ok(other(&certificate, issuer)));
        }
        HIERARCHY.answer(need)
    }
}

#[test]
fn archiving_keeps_its_input_whole() {
    assert!(
        about()
            .preservation
            .contains(&("archive", Preservation::Whole))
    );
}

#[test]
fn every_kind_of_cross_reference_is_archived() {
    for layout in [
        CrossReference::Table,
        CrossReference::Stream,
        CrossReference::Hybrid,
    ] {
        let document = signed(&PdfBuilder::new().cross_reference(layout).build());
        assert_eq!(
            levels(&document),
            [("PAdES-B-T".to_owned(), Integrity::Intact)]
        );

        let archived = archived(&document);

        assert!(archived.starts_with(&document));
        assert_eq!(levels(&archived), long_term(1), "{layout:?}");
        assert_openssl_accepts(&archived);
        if layout != CrossReference::Hybrid {
            assert_qpdf_accepts(&archived);
        }
    }
}

#[test]
fn everything_that_is_known_to_be_missing_is_asked_for_at_once() {
    let document = signed(&plain(1));

    let first = needs(&document, &[]);
    let asked: BTreeSet<_> = first
        .iter()
        .map(|need| (need.kind.name(), subject(need)))
        .collect();

    let expected = [
        ("certificate", "Testing Issuing"),
        ("certificate", "Testing TSA"),
        ("revocation", "Ona"),
    ];
    assert_eq!(
        asked,
        expected.map(|(kind, name)| (kind, name.to_owned())).into()
    );
    let second = needs(
        &document,
        &first
            .iter()
            .map(|need| HIERARCHY.answer(need))
            .collect::<Vec<_>>(),
    );
    let asked: BTreeSet<_> = second.iter().map(subject).collect();
    assert_eq!(
        asked,
        ["Testing Issuing", "Testing TSA"].map(str::to_owned).into()
    );
    assert!(second.iter().all(|need| need.kind == NeedKind::Revocation));
}

#[test]
fn needs_keep_their_names_and_say_who_can_be_asked() {
    let document = signed(&plain(1));

    let needs = needs(&document, &[]);

    assert_eq!(needs, self::needs(&document, &[]));
    let revocation = needs
        .iter()
        .find(|need| need.kind == NeedKind::Revocation)
        .unwrap();
    let [(name, issuer)] = &revocation.params[..] else {
        panic!("{:?}", revocation.params)
    };
    let issuer = openssl::base64::decode_block(issuer).unwrap();
    assert_eq!(name, "issuer");
    assert_eq!(issuer, HIERARCHY.authority.certificate.to_der().unwrap());
}

#[test]
fn the_same_answers_give_the_same_bytes() {
    let document = signed(&plain(1));
    let mut answers = Vec::new();
    let (first, _) = archived_with(&document, |need| {
        let answer = HIERARCHY.answer(need);
        answers.push(answer.clone());
        answer
    })
    .unwrap();

    answers.reverse();
    let (step, second) = step(&document, &request(), &answers).unwrap();

    assert!(matches!(step, Step::Done(_)));
    assert_eq!(first, second);
}

#[test]
fn all_signatures_of_a_document_are_archived_with_what_they_share_once() {
    let people = [&HIERARCHY.ona, &HIERARCHY.jonas];
    let document = HIERARCHY.signed(&plain(1), &people);

    let archived = archived(&document);

    assert_eq!(levels(&archived), long_term(2));
    let added = String::from_utf8_lossy(&archived[document.len()..]).into_owned();
    // Two people, authority, root, their responders and the one who stamps; of
    // two people, the authority and the one who stamps something is told.
    assert_eq!(added.matches("/Length").count(), 7 + 4);
    assert!(!added.contains("/VRI"));
    assert_openssl_accepts(&archived);
}

#[test]
fn twenty_five_signatures_are_archived_together() {
    let people = vec![&HIERARCHY.ona; 25];
    let document = HIERARCHY.signed(&plain(1), &people);

    assert_eq!(levels(&archived(&document)), long_term(25));
}

#[test]
fn what_is_archived_stays_as_it_is() {
    let archived = archived(&signed(&plain(1)));

    let (step, written) = step(&archived, &request(), &[]).unwrap();

    let Step::Done(outcome) = step else {
        panic!("nothing is to be asked")
    };
    assert!(!outcome.changed);
    assert_eq!(outcome.level, "PAdES-B-LT");
    assert!(written.is_empty());
}

#[test]
fn who_signs_afterwards_is_archived_too_and_the_store_grows() {
    let first = archived(&signed(&plain(1)));
    let second = HIERARCHY.signed(&first, &[&HIERARCHY.jonas]);
    assert_eq!(
        levels(&second)
            .into_iter()
            .map(|(level, _)| level)
            .collect::<Vec<_>>(),
        ["PAdES-B-LT", "PAdES-B-T"]
    );

    let both = archived(&second);

    assert_eq!(levels(&both), long_term(2));
    assert_eq!(
        inspect(&NativeEnvironment, &MemoryBlob(both))
            .unwrap()
            .signatures
            .len(),
        2
    );
}

#[test]
fn a_store_that_is_there_keeps_its_entries_in_any_form() {
    let document = signed(&plain(1));
    let other = ocsp_response(
        &HIERARCHY.jonas.holder.certificate,
        &HIERARCHY.authority,
        &HIERARCHY.responder,
        Told::Good,
        Period::fresh(),
    );
    let hex: String = other.iter().map(|byte| format!("{byte:02X}")).collect();
    let stream = format!(
        "<< /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hex}>\nendstream",
        hex.len() + 1
    );
    for (catalog, store, array) in [
        ("/DSS << /OCSPs [42 0 R % ]\n] >>", "null", "null"),
        ("/DSS << /OCSPs 41 0 R /Certs null >>", "null", "[42 0 R]"),
        ("/DSS 40 0 R", "<< /Type /DSS /OCSPs [42 0 R] >>", "null"),
        ("/DSS 40 0 R", "<< /OCSPs 41 0 R >>", "[42 0 R % 1 0 R]\n]"),
        ("/DSS 40 0 R", "null", "null"),
        ("/DSS null", "null", "null"),
    ] {
        let with_store = updated(
            &document,
            &[
                (1, &with_entries(&object(&document, 1), catalog)),
                (40, store),
                (41, array),
                (42, &stream),
            ],
        );

        let archived = archived(&with_store);

        assert_eq!(levels(&archived), long_term(1), "{catalog} {store}");
        let evidence = verify(&NativeEnvironment, &MemoryBlob(archived)).unwrap();
        let was_named = catalog.contains("42 0") || store.contains("42 0") || array != "null";
        assert_eq!(
            evidence[0].revocation.contains(&other),
            was_named,
            "{catalog} {store}"
        );
    }
}

#[test]
fn a_certification_that_permits_no_changes_permits_archiving() {
    let certified = SignedPdf::unsigned().sign(Signing {
        with_timestamp: true,
        certifies: Some(1),
        ..Signing::by(Identity::Ona)
    });

    let (archived, outcome) = archived_with(&certified.build(), |need| {
        panic!("signers and stampers here sign themselves: {need:?}")
    })
    .unwrap();

    assert!(outcome.changed);
    assert_eq!(levels(&archived), long_term(1));
}

#[test]
fn lists_tell_as_well_as_responders() {
    let document = signed(&plain(1));

    let (archived, _) = archived_with(&document, |need| {
        let certificate = X509::from_der(&need.payload).unwrap();
        match need.kind {
            NeedKind::Revocation => {
                let issuer = HIERARCHY.issuer_of(&certificate);
                answered(need, Ok(revocation_list(issuer, &[], Period::fresh())))
            }
            _ => HIERARCHY.answer(need),
        }
    })
    .unwrap();

    assert_eq!(levels(&archived), long_term(1));
    let added = String::from_utf8_lossy(&archived[document.len()..]).into_owned();
    assert!(added.contains("/CRLs") && !added.contains("/OCSPs"));
}

#[test]
fn a_list_from_before_the_signature_tells_of_authorities_only() {
    let document = signed(&plain(1));
    let published_before = |_: &X509, issuer: &Holder| {
        revocation_list(issuer, &[], Period::around_now(86_400, 86_400))
    };

    let (archived, _) = archived_with(&document, but("Testing Issuing", published_before)).unwrap();
    assert_eq!(levels(&archived), long_term(1));

    let lines = missing(&document, but("Ona", published_before));
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(line.starts_with("Signature1: signer's chain, certificate number "));
    assert!(line.contains("of Testing Issuing"));
    assert!(line.ends_with("no usable revocation data: it tells of a time before the signature"));
    assert!(!line.contains("Ona"));
}

#[test]
fn authorities_and_those_who_stamp_may_be_anchors() {
    let document = signed(&plain(1));
    for word in [Err("anchor"), Ok(b"anchor".to_vec())] {
        let mut asked = Vec::new();

        let (archived, outcome) = archived_with(&document, |need| match need.kind {
            NeedKind::Certificate => answered(need, word.clone()),
            _ => {
                asked.push(subject(need));
                HIERARCHY.answer(need)
            }
        })
        .unwrap();

        assert_eq!(outcome.level, "PAdES-B-LT");
        assert_eq!(levels(&archived), long_term(1));
        assert_eq!(asked, ["Ona"]);
        let (again, nothing) = step(&archived, &request(), &[]).unwrap();
        assert!(matches!(again, Step::Done(outcome) if !outcome.changed));
        assert!(nothing.is_empty());
    }
}

#[test]
fn the_signer_is_no_anchor() {
    let request = SignRequest {
        signer_chain: vec![HIERARCHY.ona.holder.certificate.to_der().unwrap()],
        ..HIERARCHY.ona.request()
    };
    let (document, _) = HIERARCHY.ona.carries_out(&plain(1), &request).unwrap();

    let lines = missing(&document, |need| match need.kind {
        NeedKind::Certificate => answered(need, Err("anchor")),
        _ => HIERARCHY.answer(need),
    });

    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("Signature1: signer's chain, certificate number "));
    assert!(lines[0].ends_with("no issuer's certificate: its subject is no authority"));
}

#[test]
fn a_responder_that_is_not_exempt_is_asked_about_too() {
    let document = signed(&plain(1));
    let mut asked = Vec::new();

    let (archived, _) = archived_with(&document, |need| {
        asked.push(subject(need));
        let certificate = X509::from_der(&need.payload).unwrap();
        if need.kind == NeedKind::Revocation && subject(need) == "Ona" {
            let answer = ocsp_response(
                &certificate,
                &HIERARCHY.authority,
                &HIERARCHY.checked_responder,
                Told::Good,
                Period::fresh(),
            );
            return answered(need, Ok(answer));
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
        NeedKind::Revocation => answered(need, Err("the responder is silent")),
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
fn an_issuer_that_cannot_be_had_is_named() {
    let document = signed(&plain(1));

    for (outcome, reason) in [
        (Err("unavailable"), "unavailable"),
        (Ok(b"unavailable".to_vec()), "unavailable"),
        (
            Ok(HIERARCHY.jonas.holder.certificate.to_der().unwrap()),
            "the one that came did not issue it",
        ),
        (Ok(vec![0x30]), "the one that came did not issue it"),
    ] {
        let lines = missing(&document, |need| match need.kind {
            NeedKind::Certificate => answered(need, outcome.clone()),
            _ => HIERARCHY.answer(need),
        });

        assert_eq!(
            lines,
            [
                format!(
                    "Signature1: signer's chain, certificate Testing Issuing: no issuer's certificate: {reason}"
                ),
                format!(
                    "Signature1: time-stamp's chain, certificate Testing TSA: no issuer's certificate: {reason}"
                ),
            ]
        );
    }
}

#[test]
fn a_chain_that_goes_in_circles_has_no_end() {
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let first = issue("Circular First", key(), None, Role::Authority);
    let second = issue("Circular Second", key(), Some(&first), Role::Authority);
    let certified_by_second = issue(
        "Circular First",
        first.key.clone(),
        Some(&second),
        Role::Authority,
    );
    let person = Person {
        holder: issue("Petras", key(), Some(&second), Role::Signer),
        algorithm: HIERARCHY.ona.algorithm,
    };
    let chain = [&person.holder, &second, &certified_by_second];
    let request = SignRequest {
        signer_chain: chain
            .map(|holder| holder.certificate.to_der().unwrap())
            .to_vec(),
        ..person.request()
    };
    let (document, _) = person.carries_out(&plain(1), &request).unwrap();

    let lines = missing(&document, |need| {
        let certificate = X509::from_der(&need.payload).unwrap();
        let issuer = match subject(need).as_str() {
            "Petras" | "Circular First" => &second,
            "Circular Second" => &certified_by_second,
            _ => return HIERARCHY.answer(need),
        };
        answered(
            need,
            Ok(ocsp_response(
                &certificate,
                issuer,
                issuer,
                Told::Good,
                Period::fresh(),
            )),
        )
    });

    assert_eq!(
        lines,
        ["Signature1: signer's chain, certificate Circular Second: its chain does not end"]
    );
}

#[test]
fn an_answer_that_tells_nothing_of_the_certificate_is_refused() {
    let document = signed(&plain(1));
    let authority = &HIERARCHY.authority;
    let told = |certificate: &X509, responder: &Holder, told: Told| {
        ocsp_response(certificate, authority, responder, told, Period::fresh())
    };
    let jonas = &HIERARCHY.jonas.holder;
    let ona = &HIERARCHY.ona.holder.certificate;
    let only_authorities: &[u8] = &[0x82, 1, 0xFF];
    for (answer, expected) in [
        (
            told(&jonas.certificate, authority, Told::Good),
            "no usable revocation data: it is about another certificate",
        ),
        (
            told(ona, jonas, Told::Good),
            "no usable revocation data: it is not signed by the issuer or its delegate",
        ),
        (
            told(ona, &PKI.root, Told::Good),
            "no usable revocation data: it is not signed by the issuer or its delegate",
        ),
        (
            told(ona, authority, Told::Unknown),
            "no usable revocation data: the responder does not know the certificate",
        ),
        (
            told(ona, authority, Told::Revoked { at: now() - 86_400 }),
            "it is revoked",
        ),
        (
            revocation_list(authority, &[(ona, now() - 86_400)], Period::fresh()),
            "it is revoked",
        ),
        (
            revocation_list(&PKI.root, &[], Period::fresh()),
            "no usable revocation data: it is about another certificate",
        ),
        (
            revocation_list_for(authority, &[], Period::fresh(), only_authorities),
            "no usable revocation data: it is about another certificate",
        ),
        (
            ocsp_try_later(),
            "no usable revocation data: it cannot be read",
        ),
        (
            b"<html>".to_vec(),
            "no usable revocation data: it cannot be read",
        ),
    ] {
        let lines = missing(&document, but("Ona", |_, _| answer.clone()));

        let [line] = &lines[..] else {
            panic!("{lines:?}")
        };
        assert!(line.ends_with(expected), "{line} {expected}");
    }
}

#[test]
fn who_was_revoked_after_signing_has_signed() {
    let document = signed(&plain(1));
    let revoked_later = |certificate: &X509, issuer: &Holder| {
        let told = Told::Revoked { at: now() + 600 };
        ocsp_response(certificate, issuer, issuer, told, Period::fresh())
    };

    let (archived, _) = archived_with(&document, but("Ona", revoked_later)).unwrap();
    assert_eq!(levels(&archived), long_term(1));

    for name in ["Testing TSA", "Testing Issuing"] {
        let lines = missing(&document, but(name, revoked_later));
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].ends_with("it is revoked"), "{lines:?}");
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

fn replaced(document: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = document
        .windows(from.len())
        .position(|window| window == from)
        .expect("what is to be replaced is there");
    [&document[..at], to, &document[at + from.len()..]].concat()
}
