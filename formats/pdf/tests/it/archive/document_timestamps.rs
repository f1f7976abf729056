//! Chains of document time-stamps.

use std::thread;
use std::time::Duration;

use parafa_fixtures::plain;
use parafa_format_core::{Answer, Archived, Evidence, Need, NeedKind};

use super::{signed, time_stamped};
use crate::archiving::{HIERARCHY, archived, archived_with, certificate, missing};
use crate::ceremony::PKI;
use crate::issuing::{good_response, now};
use crate::pki::{Pki, Terms};
use crate::verify::all_evidence;

#[test]
fn the_chain_of_a_document_time_stamp_of_another_authority_is_archived_too() {
    let stranger = Pki::new();
    let document = time_stamped(&signed(&plain(1)), &stranger, 90);
    let mut told = Vec::new();

    let (archived, outcome) = archived_with(&document, |need| {
        let answer = answer(&stranger, need);
        if need.kind == NeedKind::Revocation && is_about(need, &stamper(&stranger)) {
            told.extend(answer.outcome.clone());
        }
        answer
    })
    .unwrap();

    assert_eq!(
        (outcome.level.as_str(), outcome.changed),
        ("PAdES-B-LT", true)
    );
    let evidence = all_evidence(&archived);
    assert_eq!(evidence.signatures[0].level, "PAdES-B-LT");
    for certificate in [stamper(&stranger), root(&stranger)] {
        assert!(has_certificate(&evidence, 0, &certificate));
    }
    assert_eq!(told.len(), 1);
    let mut revocation = evidence.revocation(&evidence.signatures[0]);
    assert!(revocation.any(|datum| datum == told[0]));
    assert_unchanged(&archived, &stranger, "PAdES-B-LT");
}

#[test]
fn a_document_time_stamp_whose_chain_cannot_be_had_is_named() {
    let stranger = Pki::new();
    let document = time_stamped(&signed(&plain(1)), &stranger, 90);
    for (kind, reason, line) in [
        (
            NeedKind::Revocation,
            "the responder is silent",
            "no revocation data: the responder is silent",
        ),
        (
            NeedKind::Certificate,
            "unavailable",
            "no issuer's certificate: unavailable",
        ),
    ] {
        let lines = missing(&document, |need| {
            if need.kind == kind && is_about(need, &stamper(&stranger)) {
                return need.answer(Err(reason));
            }
            answer(&stranger, need)
        });

        assert_eq!(
            lines,
            [format!(
                "Field90: time-stamp's chain, certificate Testing TSA: {line}"
            )]
        );
    }
}

#[test]
fn a_document_time_stamp_over_everything_waits_for_the_next() {
    let stranger = Pki::new();
    let document = time_stamped(&archived(&signed(&plain(1))), &stranger, 90);

    assert_unchanged(&document, &stranger, "PAdES-B-LT");
}

#[test]
fn a_document_time_stamp_that_another_follows_is_completed() {
    let stranger = Pki::new();
    let once = time_stamped(&archived(&signed(&plain(1))), &stranger, 90);
    let twice = time_stamped(&once, &PKI, 92);

    let (archived, outcome) = archived_again(&twice, &stranger);

    assert_eq!(
        (outcome.level.as_str(), outcome.changed),
        ("PAdES-B-LTA", true)
    );
    let evidence = all_evidence(&archived);
    assert_eq!(evidence.signatures[0].level, "PAdES-B-LTA");
    assert!(has_certificate(&evidence, 0, &root(&stranger)));
    assert_unchanged(&archived, &stranger, "PAdES-B-LTA");
}

#[test]
fn what_nobody_tells_any_more_about_a_time_stamp_keeps_no_signature_from_being_archived() {
    let expires = now() + 2;
    let stranger = Pki::with_stamper_on(Terms {
        validity: (0, expires),
        ..Terms::usual()
    });
    let stamped = time_stamped(&archived(&signed(&plain(1))), &stranger, 90);
    while now() <= expires {
        thread::sleep(Duration::from_millis(50));
    }
    let document = signed(&stamped);
    let no_word = |need: &Need| {
        let about_stamper = is_about(need, &stamper(&stranger));
        assert!(need.kind != NeedKind::Revocation || !about_stamper);
        answer(&stranger, need)
    };

    let (archived, outcome) = archived_with(&document, no_word).unwrap();

    assert!(outcome.changed);
    let evidence = all_evidence(&archived);
    assert!(has_certificate(&evidence, 1, &root(&stranger)));
    let (_, again) = archived_with(&archived, no_word).unwrap();
    assert!(!again.changed);
}

#[test]
fn nothing_is_asked_about_a_last_time_stamp_before_all_is_known_that_it_may_cover() {
    let stranger = Pki::new();
    let anchored = |need: &Need| match need.kind {
        NeedKind::Certificate => need.answer(Err("anchor")),
        _ => HIERARCHY.answer(need),
    };
    let (archived, _) = archived_with(&signed(&plain(1)), anchored).unwrap();
    let document = time_stamped(&archived, &stranger, 90);
    let mut about_it = 0;

    let (_, outcome) = archived_with(&document, |need| {
        about_it += usize::from(is_about(need, &stamper(&stranger)));
        anchored(need)
    })
    .unwrap();

    assert_eq!((about_it, outcome.changed), (0, false));
}

fn assert_unchanged(document: &[u8], stranger: &Pki, level: &str) {
    let (nothing, outcome) = archived_again(document, stranger);
    assert!(nothing.is_empty());
    assert_eq!((outcome.level.as_str(), outcome.changed), (level, false));
}

fn archived_again(document: &[u8], stranger: &Pki) -> (Vec<u8>, Archived) {
    archived_with(document, |need| answer(stranger, need)).unwrap()
}

/// Returns a sound answer, even for the stranger's certificates.
fn answer(stranger: &Pki, need: &Need) -> Answer {
    let certificate = certificate(need);
    let issuer = &stranger.root;
    let key = issuer.certificate.public_key().unwrap();
    if !certificate.verify(&key).unwrap() {
        return HIERARCHY.answer(need);
    }
    let bytes = match need.kind {
        NeedKind::Certificate => root(stranger),
        _ => good_response(&certificate, issuer, issuer),
    };
    need.answer(Ok(bytes))
}

fn is_about(need: &Need, certificate: &[u8]) -> bool {
    need.payload.as_bytes() == Some(certificate)
}

fn has_certificate(evidence: &Evidence, index: usize, certificate: &[u8]) -> bool {
    let mut certificates = evidence.certificates(&evidence.signatures[index]);
    certificates.any(|der| der == certificate)
}

fn stamper(pki: &Pki) -> Vec<u8> {
    pki.stamper().to_der().unwrap()
}

fn root(pki: &Pki) -> Vec<u8> {
    pki.root.certificate.to_der().unwrap()
}
