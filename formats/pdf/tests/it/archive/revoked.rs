//! Signatures older than the revocation of their certificate, as proved by a
//! trusted time-stamp.

use openssl::x509::X509;
use parafa_fixtures::plain;
use parafa_format_core::{NeedKind, Step};

use super::{but, levels, long_term, signed};
use crate::archiving::{HIERARCHY, archived_with, certificate, missing, subject};
use crate::ceremony::step;
use crate::issuing::{CertStatus, Period, now, ocsp_response};
use crate::pki::{Holder, Pki};

#[test]
fn who_was_revoked_after_signing_has_signed() {
    let document = signed(&plain(1));
    let revoked_later = |certificate: &X509, issuer: &Holder| {
        let told = CertStatus::Revoked { at: now() + 600 };
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
fn nobody_unknown_vouches_for_the_time_before_a_revocation() {
    let stranger = Pki::new();
    let document = stamped_by(&stranger);
    let answer = |is_revoked: bool, is_trusted: bool| {
        let stranger = &stranger;
        move |need: &parafa_format_core::Need| {
            let certificate = certificate(need);
            let from_stranger = certificate
                .verify(&stranger.root.certificate.public_key().unwrap())
                .unwrap();
            let issuer = match from_stranger {
                true => &stranger.root,
                false => HIERARCHY.issuer_of(&certificate),
            };
            let told = match subject(need).as_str() {
                "Ona" if is_revoked => CertStatus::Revoked { at: now() + 600 },
                _ => CertStatus::Good,
            };
            match need.kind {
                NeedKind::Certificate if certificate == issuer.certificate => {
                    need.answer(Err(if is_trusted { "anchor" } else { "untrusted" }))
                }
                NeedKind::Certificate => need.answer(Ok(issuer.certificate.to_der().unwrap())),
                _ => {
                    let response =
                        ocsp_response(&certificate, issuer, issuer, told, Period::fresh());
                    need.answer(Ok(response))
                }
            }
        }
    };

    assert_eq!(
        missing(&document, answer(true, false)),
        [
            "Signature1: time-stamp's chain, certificate Testing Root: the signer's certificate was revoked later, and nobody trusted says that it was"
        ]
    );
    for (is_revoked, is_trusted) in [(true, true), (false, false)] {
        let (archived, _) = archived_with(&document, answer(is_revoked, is_trusted)).unwrap();
        assert_eq!(levels(&archived), long_term(1));
    }
}

/// Returns a document with Ona's signature and a time-stamp of another
/// authority.
fn stamped_by(pki: &Pki) -> Vec<u8> {
    let (ona, document) = (&HIERARCHY.ona, plain(1));
    let request = HIERARCHY.request(ona);
    let mut answers = Vec::new();
    for _ in 0..3 {
        match step(&document, &request, &answers).unwrap() {
            (Step::Done(_), signed) => return signed,
            (Step::Needs(needs), _) => {
                answers.extend(needs.iter().map(|need| match need.kind {
                    NeedKind::Timestamp => {
                        need.answer(Ok(pki.timestamp(need.payload.as_bytes().unwrap())))
                    }
                    _ => ona.answers(need),
                }));
            }
        }
    }
    panic!("three steps were not enough");
}
