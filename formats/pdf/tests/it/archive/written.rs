//! Output of archiving, and cases without output.

use openssl::x509::X509;
use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::{Integrity, Operation, Preservation, Step};
use parafa_format_pdf::about;

use super::{levels, long_term, signed, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, request, step};
use crate::ceremony::PKI;
use crate::earlier_signatures::{object, updated, with_entries};
use crate::intake::inspected;
use crate::issuing::good_response;
use crate::pki::Holder;
use crate::referees::{assert_openssl_accepts, assert_qpdf_accepts};
use crate::verify::all_evidence;

#[test]
fn archiving_keeps_its_input_whole() {
    let mut abilities = about().abilities.iter();
    let archive = abilities.find(|ability| ability.operation == Operation::Archive);
    assert_eq!(archive.unwrap().preservation, Preservation::Whole);
}

#[test]
fn every_kind_of_cross_reference_is_archived() {
    for layout in CrossReference::ALL {
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
    // Seven certificates: two people, authority, root, their responders and the
    // time-stamping unit. Four answers: about two people, the authority and the
    // time-stamping unit.
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
    assert_eq!(inspected(&both).unwrap().signatures.len(), 2);
}

#[test]
fn a_store_that_is_there_keeps_its_entries_in_any_form() {
    let document = signed(&plain(1));
    let other = good_response(
        &HIERARCHY.jonas.holder.certificate,
        &HIERARCHY.authority,
        &HIERARCHY.responder,
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
        let evidence = all_evidence(&archived);
        let was_named = catalog.contains("42 0") || store.contains("42 0") || array != "null";
        assert_eq!(
            evidence.revocation.contains(&other),
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
fn what_is_archived_may_leave_no_room_for_more() {
    let mut document = archived(&signed(&plain(1)));
    // One revision below the limit: archiving needs two.
    for _ in 0..994 {
        document = updated(&document, &[(90, "null")]);
    }

    let (again, nothing) = step(&document, &request(), &[]).unwrap();
    assert!(matches!(again, Step::Done(outcome) if !outcome.changed));
    assert!(nothing.is_empty());

    let mut document = signed(&plain(1));
    for _ in 0..995 {
        document = updated(&document, &[(90, "null")]);
    }
    let refusal = archived_with(&document, |need| HIERARCHY.answer(need)).unwrap_err();
    assert_eq!(refusal.code, "too-many-objects");
}

#[test]
fn what_the_signatures_hold_is_not_stored_again() {
    let document = signed(&plain(1));
    let root = PKI.root.certificate.to_der().unwrap();
    let told = |certificate: &X509, issuer: &Holder| good_response(certificate, issuer, issuer);
    let told = [
        told(&HIERARCHY.ona.holder.certificate, &HIERARCHY.authority),
        told(&HIERARCHY.authority.certificate, &PKI.root),
        told(&PKI.stamper(), &PKI.root),
    ];

    let by_others = with_store(&document, &[root], &told, &[]);

    assert_eq!(levels(&by_others), long_term(1));
    let (step, nothing) = step(&by_others, &request(), &[]).unwrap();
    assert!(matches!(step, Step::Done(outcome) if !outcome.changed));
    assert!(nothing.is_empty());
}
