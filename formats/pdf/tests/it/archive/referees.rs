//! Independent validators without a network: they must reject a document before
//! archiving, and accept it afterwards.

use std::fs;

use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::NeedKind;

use super::{level, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, certificate};
use crate::ceremony::PKI;
use crate::issuing::{Period, good_response, revocation_list};
use crate::referees::{
    assert_openssl_accepts, assert_qpdf_accepts, dss_is_content_alone, pyhanko_is_content_alone,
    pyhanko_is_content_with,
};

#[test]
fn pyhanko_is_content_with_every_cross_reference() {
    let people = [&HIERARCHY.ona, &HIERARCHY.jonas];
    for layout in CrossReference::ALL {
        let is_hybrid = layout == CrossReference::Hybrid;
        let document = PdfBuilder::new().cross_reference(layout).build();
        let signed = HIERARCHY.signed(&document, &people);
        let Some(before) = pyhanko_is_content_alone(&signed, is_hybrid) else {
            return;
        };

        let after = pyhanko_is_content_alone(&archived(&signed), is_hybrid);

        assert_eq!((before, after), (false, Some(true)), "{layout:?}");
    }
}

#[test]
fn pyhanko_is_content_with_who_signs_after_archiving() {
    let first = archived(&HIERARCHY.signed(&plain(1), &[&HIERARCHY.ona]));
    let second = HIERARCHY.signed(&first, &[&HIERARCHY.jonas]);

    if let Some(before) = pyhanko_is_content_alone(&second, false) {
        let after = pyhanko_is_content_alone(&archived(&second), false);
        assert_eq!((before, after), (false, Some(true)));
    }
}

#[test]
fn pyhanko_is_not_content_with_a_store_that_leaves_out_the_authorities() {
    let told = good_response(
        &HIERARCHY.ona.holder.certificate,
        &HIERARCHY.authority,
        &HIERARCHY.responder,
    );
    let signed = HIERARCHY.signed(&plain(1), &[&HIERARCHY.ona]);
    let stamper = PKI.stamper().to_der().unwrap();
    let incomplete = with_store(&signed, &[stamper], &[told], &[]);
    let Some(before) = pyhanko_is_content_alone(&incomplete, false) else {
        return;
    };

    let archived = archived(&incomplete);
    let after = pyhanko_is_content_alone(&archived, false);

    assert_eq!((before, after), (false, Some(true)));
    assert_eq!(
        (level(&incomplete), level(&archived)),
        ("PAdES-B-T".into(), "PAdES-B-LT".into())
    );
}

#[test]
fn pyhanko_is_content_with_anchors_that_are_no_roots() {
    let folder = tempfile::tempdir().unwrap();
    let anchors = [
        ("issuing.pem", HIERARCHY.authority.certificate.clone()),
        ("stamper.pem", PKI.stamper()),
    ];
    let anchors = anchors.map(|(name, certificate)| {
        let file = folder.path().join(name);
        fs::write(&file, certificate.to_pem().unwrap()).unwrap();
        file
    });
    let signed = HIERARCHY.signed(&plain(1), &[&HIERARCHY.ona]);
    let Some(before) = pyhanko_is_content_with(&signed, &anchors, false) else {
        return;
    };

    let (archived, _) = archived_with(&signed, |need| match need.kind {
        NeedKind::Certificate => need.answer(Err("anchor")),
        _ => HIERARCHY.answer(need),
    })
    .unwrap();

    let after = pyhanko_is_content_with(&archived, &anchors, false);
    assert_eq!((before, after), (false, Some(true)));
    assert_eq!(level(&archived), "PAdES-B-LT");
}

#[test]
fn the_reference_validator_is_content() {
    let people = [&HIERARCHY.ona, &HIERARCHY.jonas];
    let by_stream = PdfBuilder::new()
        .cross_reference(CrossReference::Stream)
        .build();
    let signed: Vec<Vec<u8>> = vec![
        HIERARCHY.signed(&plain(1), &people[..1]),
        HIERARCHY.signed(&plain(2), &people),
        HIERARCHY.signed(&by_stream, &people),
        HIERARCHY.signed(
            &archived(&HIERARCHY.signed(&plain(1), &people[..1])),
            &people[1..],
        ),
    ];
    let by_lists = archived_with(&signed[1], |need| match need.kind {
        NeedKind::Revocation => {
            let certificate = certificate(need);
            let issuer = HIERARCHY.issuer_of(&certificate);
            need.answer(Ok(revocation_list(issuer, &[], Period::fresh())))
        }
        _ => HIERARCHY.answer(need),
    });
    let mut archived: Vec<Vec<u8>> = signed.iter().map(|document| archived(document)).collect();
    archived.push(by_lists.unwrap().0);
    for document in &archived {
        assert_qpdf_accepts(document);
        assert_openssl_accepts(document);
    }

    let all: Vec<&[u8]> = signed.iter().chain(&archived).map(Vec::as_slice).collect();
    if let Some(verdicts) = dss_is_content_alone(&all) {
        let (before, after) = verdicts.split_at(signed.len());
        assert_eq!(before, vec![false; signed.len()]);
        assert_eq!(after, vec![true; archived.len()]);
    }
}
