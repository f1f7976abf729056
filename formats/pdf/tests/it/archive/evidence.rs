//! Applicability of revocation data to a certificate.

use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_fixtures::plain;
use parafa_format_core::{Answer, Need, NeedKind};
use parafa_issuing::Extension;

use super::{asked, but, level, levels, long_term, needs, signed, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, certificate, missing, subject};
use crate::ceremony::{PKI, Person};
use crate::issuing::{
    CertStatus, Period, archive_cutoff, expired_on_list, good_response, now, ocsp_response,
    ocsp_response_of, ocsp_try_later, revocation_list, revocation_list_for, revocation_list_of,
    single_response, unknown_extension,
};
use crate::pki::{Holder, Role, Terms, ec_key, issue_on};

const DAY: i64 = 86_400;

#[test]
fn lists_tell_as_well_as_responders() {
    let document = signed(&plain(1));

    let (archived, _) = archived_with(&document, |need| {
        let certificate = certificate(need);
        match need.kind {
            NeedKind::Revocation => {
                let issuer = HIERARCHY.issuer_of(&certificate);
                need.answer(Ok(revocation_list(issuer, &[], Period::fresh())))
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
fn an_answer_that_tells_nothing_of_the_certificate_is_refused() {
    let document = signed(&plain(1));
    let authority = &HIERARCHY.authority;
    let told = |certificate: &X509, responder: &Holder, told: CertStatus| {
        ocsp_response(certificate, authority, responder, told, Period::fresh())
    };
    let jonas = &HIERARCHY.jonas.holder;
    let ona = &HIERARCHY.ona.holder.certificate;
    let only_authorities: &[u8] = &[0x82, 1, 0xFF];
    for (answer, expected) in [
        (
            told(&jonas.certificate, authority, CertStatus::Good),
            "no usable revocation data: it is about another certificate",
        ),
        (
            told(ona, jonas, CertStatus::Good),
            "no usable revocation data: it is not signed by the issuer or its delegate",
        ),
        (
            told(ona, &PKI.root, CertStatus::Good),
            "no usable revocation data: it is not signed by the issuer or its delegate",
        ),
        (
            told(ona, authority, CertStatus::Unknown),
            "no usable revocation data: the responder does not know the certificate",
        ),
        (
            told(ona, authority, CertStatus::Revoked { at: now() - 86_400 }),
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
fn an_answer_that_can_be_taken_in_two_ways_is_refused() {
    let document = signed(&plain(1));
    let single = |certificate: &X509, issuer: &Holder, extensions: &[Extension]| {
        single_response(
            certificate,
            issuer,
            CertStatus::Good,
            Period::fresh(),
            extensions,
        )
    };
    let twice = |certificate: &X509, issuer: &Holder| {
        let single = single(certificate, issuer, &[]);
        ocsp_response_of(&[single.clone(), single], issuer, now(), &[])
    };
    let limited = |certificate: &X509, issuer: &Holder| {
        let single = single(certificate, issuer, &[unknown_extension()]);
        ocsp_response_of(&[single], issuer, now(), &[])
    };
    let limited_as_a_whole = |certificate: &X509, issuer: &Holder| {
        let single = single(certificate, issuer, &[]);
        ocsp_response_of(&[single], issuer, now(), &[unknown_extension()])
    };

    assert_fault(
        &document,
        but("Ona", twice),
        "no usable revocation data: it tells of the certificate more than once",
    );
    let unknown = "no usable revocation data: a critical extension of it is not known";
    assert_fault(&document, but("Ona", limited), unknown);
    assert_fault(&document, but("Ona", limited_as_a_whole), unknown);
}

#[test]
fn a_responder_does_not_vouch_for_itself() {
    let document = signed(&plain(1));
    let by_checked = |certificate: &X509| {
        let (issuer, responder) = (&HIERARCHY.authority, &HIERARCHY.checked_responder);
        good_response(certificate, issuer, responder)
    };
    let answer = |need: &Need| match subject(need).as_str() {
        "Ona" | "Testing Checked Responder" => {
            let certificate = certificate(need);
            need.answer(Ok(by_checked(&certificate)))
        }
        _ => HIERARCHY.answer(need),
    };

    assert_fault(
        &document,
        answer,
        "no usable revocation data: it is signed by the key that it tells of",
    );
}

#[test]
fn who_answered_before_is_asked_about_as_well() {
    let document = signed(&plain(1));
    let responder = &HIERARCHY.checked_responder;
    let about_ona = good_response(
        &HIERARCHY.ona.holder.certificate,
        &HIERARCHY.authority,
        responder,
    );
    let document = with_store(&document, &[], &[about_ona], &[]);

    let first = asked(&needs(&document, &[]));
    assert!(
        first.contains(&("revocation", "Testing Checked Responder".to_owned())),
        "{first:?}"
    );
    let revoked = |certificate: &X509, issuer: &Holder| {
        let told = CertStatus::Revoked { at: now() - DAY };
        ocsp_response(certificate, issuer, issuer, told, Period::fresh())
    };
    assert_fault(
        &document,
        but("Testing Checked Responder", revoked),
        "certificate Testing Checked Responder: it is revoked",
    );
}

#[test]
fn a_responder_has_to_be_valid_when_it_answers() {
    let terms = Terms {
        validity: (now() - 10 * DAY, now() - DAY),
        ..Terms::usual()
    };
    let role = Role::Responder { is_exempt: true };
    let key = ec_key(Nid::X9_62_PRIME256V1);
    let expired = issue_on(terms, "Expired", key, Some(&HIERARCHY.authority), role);
    let by_expired =
        |certificate: &X509, issuer: &Holder| good_response(certificate, issuer, &expired);

    assert_fault(
        &signed(&plain(1)),
        but("Ona", by_expired),
        "no usable revocation data: it is not signed by the issuer or its delegate",
    );
}

#[test]
fn who_signed_before_or_after_the_certificate_was_valid_is_not_archived() {
    for validity in [
        (now() - 10 * DAY, now() - DAY),
        (now() + DAY, now() + 10 * DAY),
    ] {
        let (document, petras) = signed_by_petras(validity);

        assert_fault(
            &document,
            about_petras(|issuer| {
                let told = CertStatus::Good;
                ocsp_response(&petras, issuer, issuer, told, Period::fresh())
            }),
            "it was not valid at the time of the time-stamp",
        );
    }
}

#[test]
fn what_is_told_after_a_certificate_expired_counts_when_its_issuer_remembers() {
    let end = now() + DAY;
    let (document, petras) = signed_by_petras((now() - DAY, end));
    let later = Period::around_now(-2 * DAY, 3 * DAY);
    let list = |extensions: &[Extension]| {
        let issuer = &HIERARCHY.authority;
        revocation_list_of(issuer, Some(issuer), &[], later, extensions)
    };
    let response = |extensions: &[Extension]| {
        let issuer = &HIERARCHY.authority;
        let single = single_response(&petras, issuer, CertStatus::Good, later, extensions);
        ocsp_response_of(&[single], issuer, later.this_update, &[])
    };

    for forgotten in [
        list(&[]),
        list(&[expired_on_list(end + 1)]),
        response(&[]),
        response(&[archive_cutoff(end + 1)]),
    ] {
        assert_fault(
            &document,
            about_petras(|_| forgotten.clone()),
            "no usable revocation data: it was told after the certificate had expired",
        );
    }
    for remembered in [
        list(&[expired_on_list(end)]),
        response(&[archive_cutoff(end)]),
    ] {
        let told = about_petras(|_| remembered.clone());
        let (archived, _) = archived_with(&document, told).unwrap();
        assert_eq!(levels(&archived), long_term(1));
    }
    let later = Period::around_now(-2 * DAY, 3 * DAY);
    let revoked = revocation_list(&HIERARCHY.authority, &[(&petras, now() - 60)], later);
    assert_fault(
        &document,
        about_petras(|_| revoked.clone()),
        "it is revoked",
    );
}

#[test]
fn a_list_tells_something_when_its_signer_may_sign_lists() {
    let by_nobody =
        |_: &X509, issuer: &Holder| revocation_list_of(issuer, None, &[], Period::fresh(), &[]);
    let by_other = |_: &X509, issuer: &Holder| {
        let signer = Some(&HIERARCHY.ona.holder);
        revocation_list_of(issuer, signer, &[], Period::fresh(), &[])
    };

    let fault = "no usable revocation data: it is not signed by the issuer or its delegate";
    assert_fault(&signed(&plain(1)), but("Ona", by_nobody), fault);
    assert_fault(&signed(&plain(1)), but("Ona", by_other), fault);
}

#[test]
fn what_was_stored_before_somebody_signed_may_tell_of_authorities() {
    let first = archived(&signed(&plain(1)));
    let second = HIERARCHY.signed(&first, &[&HIERARCHY.jonas]);

    let asked = asked(&needs(&second, &[]));

    assert!(
        asked.contains(&("revocation", "Jonas".to_owned())),
        "{asked:?}"
    );
    assert!(
        !asked.contains(&("revocation", "Testing Issuing".to_owned())),
        "{asked:?}"
    );
    assert_eq!(level(&first), "PAdES-B-LT");
}

fn assert_fault(document: &[u8], answer: impl FnMut(&Need) -> Answer, expected: &str) {
    let lines = missing(document, answer);
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(line.ends_with(expected), "{line} {expected}");
}

/// Returns a document signed by Petras and his certificate with this validity.
fn signed_by_petras(validity: (i64, i64)) -> (Vec<u8>, X509) {
    let terms = Terms {
        validity,
        ..Terms::usual()
    };
    let key = ec_key(Nid::X9_62_PRIME256V1);
    let authority = Some(&HIERARCHY.authority);
    let person = Person {
        holder: issue_on(terms, "Petras", key, authority, Role::Signer),
        algorithm: HIERARCHY.ona.algorithm,
    };
    let document = HIERARCHY.signed(&plain(1), &[&person]);
    (document, person.holder.certificate)
}

/// Answers soundly, with this revocation data for Petras.
fn about_petras(told: impl Fn(&Holder) -> Vec<u8>) -> impl FnMut(&Need) -> Answer {
    but("Petras", move |_, issuer| told(issuer))
}
