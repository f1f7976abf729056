//! Ends of certificate chains.

use openssl::nid::Nid;
use parafa_fixtures::plain;
use parafa_format_core::{NeedKind, SignRequest};

use super::{asked, level, levels, long_term, needs, signed, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, certificate, missing, subject};
use crate::ceremony::{PKI, Person};
use crate::issuing::good_response;
use crate::pki::{Holder, Role, Terms, ec_key, issue, issue_on};

#[test]
fn authorities_and_those_who_stamp_may_be_anchors() {
    let document = signed(&plain(1));
    for word in [Err("anchor"), Ok(b"anchor".to_vec())] {
        let mut asked = Vec::new();

        let (archived, outcome) = archived_with(&document, |need| match need.kind {
            NeedKind::Certificate => need.answer(word.clone()),
            _ => {
                asked.push(subject(need));
                HIERARCHY.answer(need)
            }
        })
        .unwrap();

        assert_eq!(outcome.level, "PAdES-B-LT");
        assert_eq!(levels(&archived), long_term(1));
        assert_eq!(asked, ["Ona"]);
        assert_eq!(
            super::asked(&needs(&archived, &[])),
            [
                ("certificate", "Testing Issuing".to_owned()),
                ("certificate", "Testing TSA".to_owned())
            ]
        );
        let again = archived_with(&archived, |need| need.answer(word.clone()));
        assert!(!again.unwrap().1.changed);
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
        NeedKind::Certificate => need.answer(Err("anchor")),
        _ => HIERARCHY.answer(need),
    });

    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("Signature1: signer's chain, certificate number "));
    assert!(lines[0].ends_with("no issuer's certificate: its subject is no authority"));
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
            NeedKind::Certificate => need.answer(outcome.clone()),
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
        let certificate = certificate(need);
        let issuer = match subject(need).as_str() {
            "Petras" | "Circular First" => &second,
            "Circular Second" => &certified_by_second,
            _ => return HIERARCHY.answer(need),
        };
        let told = good_response(&certificate, issuer, issuer);
        need.answer(Ok(told))
    });

    assert_eq!(
        lines,
        ["Signature1: signer's chain, certificate Circular Second: its chain does not end"]
    );
}

#[test]
fn an_issuer_that_is_left_out_does_not_raise_the_level() {
    let document = signed(&plain(1));
    let about_ona = fresh(&HIERARCHY.ona.holder, &HIERARCHY.authority);
    let stamper = PKI.stamper().to_der().unwrap();
    let authority = HIERARCHY.authority.certificate.to_der().unwrap();

    let told = [about_ona];
    let incomplete = with_store(&document, std::slice::from_ref(&stamper), &told, &[]);
    assert_eq!(level(&incomplete), "PAdES-B-T");
    // Sufficient if both are trusted; the host decides on that.
    let for_trusted = with_store(&document, &[stamper, authority], &told, &[]);
    assert_eq!(level(&for_trusted), "PAdES-B-LT");

    for document in [incomplete, for_trusted] {
        assert_eq!(
            asked(&needs(&document, &[])),
            [
                ("certificate", "Testing Issuing".to_owned()),
                ("certificate", "Testing TSA".to_owned())
            ]
        );
        let archived = archived(&document);
        let added = archived.len() - document.len();
        assert!(added > 2_000, "{added} bytes are no data about authorities");
        assert_eq!(levels(&archived), long_term(1));
    }
}

#[test]
fn who_is_no_authority_issues_nothing() {
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let ona = &HIERARCHY.ona.holder;
    let petras = issue("Petras", key(), Some(ona), Role::Signer);
    let document = signed_by(&petras, &[ona, &HIERARCHY.authority]);

    let with_store = with_store(&document, &[], &[fresh(&petras, ona)], &[]);

    assert_eq!(level(&with_store), "PAdES-B-T");
    let asked = asked(&needs(&with_store, &[]));
    assert!(
        asked.contains(&("certificate", "Petras".to_owned())),
        "{asked:?}"
    );
}

#[test]
fn no_more_authorities_stand_below_another_than_it_permits() {
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let terms = Terms {
        path_length: Some(0),
        ..Terms::usual()
    };
    let limited = issue_on(terms, "Limited", key(), Some(&PKI.root), Role::Authority);
    let below = issue("Below", key(), Some(&limited), Role::Authority);
    let direct = issue("Petras", key(), Some(&limited), Role::Signer);
    let indirect = issue("Jurga", key(), Some(&below), Role::Signer);
    let sound = |need: &parafa_format_core::Need| match subject(need).as_str() {
        "Petras" => need.answer(Ok(fresh(&direct, &limited))),
        "Jurga" => need.answer(Ok(fresh(&indirect, &below))),
        "Below" => need.answer(Ok(fresh(&below, &limited))),
        _ => HIERARCHY.answer(need),
    };

    let (archived, _) = archived_with(&signed_by(&direct, &[&limited]), sound).unwrap();
    assert_eq!(levels(&archived), long_term(1));
    assert_eq!(
        missing(&signed_by(&indirect, &[&below, &limited]), sound),
        [
            "Signature1: signer's chain, certificate Limited: more authorities are below it than may be"
        ]
    );
}

/// Returns the issuer's own OCSP response with the status good.
fn fresh(holder: &Holder, issuer: &Holder) -> Vec<u8> {
    good_response(&holder.certificate, issuer, issuer)
}

/// Returns a document by a signer whose chain contains these issuers.
fn signed_by(holder: &Holder, issuers: &[&Holder]) -> Vec<u8> {
    let person = Person {
        holder: holder.clone(),
        algorithm: HIERARCHY.ona.algorithm,
    };
    let chain = [&[holder], issuers].concat();
    let chain = chain.iter().map(|link| link.certificate.to_der().unwrap());
    let request = SignRequest {
        signer_chain: chain.collect(),
        ..person.request()
    };
    person.carries_out(&plain(1), &request).unwrap().0
}
