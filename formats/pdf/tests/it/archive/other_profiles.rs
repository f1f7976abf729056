//! Documents with an earlier signature of another profile.

use openssl::sha::sha384;
use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_fixtures::plain;
use parafa_format_core::{Answer, DigestAlgorithm, Integrity, Need, NeedKind, Step};

use super::{asked, levels, needs, with_value};
use crate::archiving::{HIERARCHY, archived, missing, request, step, subject};
use crate::ceremony::PKI;
use crate::referees::pyhanko_is_content_alone;

/// Returns a document with Jonas's PDF 1.7 signature (ISO 32000-1, 12.8.3.3),
/// followed by Ona's at level B-T.
fn signed_after_another_profile(is_stamped: bool) -> Vec<u8> {
    let entries = "/Type /Sig /SubFilter /adbe.pkcs7.detached /M (D:20261121062435Z)";
    let by_jonas = with_value(&plain(1), 400, entries, |covered| {
        let request = HIERARCHY.request(&HIERARCHY.jonas);
        let chain = request.signer_chain;
        let attributes =
            SignedAttributes::new(&sha384(covered), DigestAlgorithm::Sha384, &chain[0]).unwrap();
        let algorithm = request.signature_algorithm;
        let signer = &HIERARCHY.jonas.holder;
        let value = signer.sign(algorithm, attributes.to_be_signed());
        let token = PKI.timestamp(&value);
        let signature = SignedDataBuilder::new(&attributes, algorithm, &chain, &value).unwrap();
        if is_stamped {
            signature.with_timestamp(&token).unwrap().to_der()
        } else {
            signature.to_der()
        }
    });
    HIERARCHY.signed(&by_jonas, &[&HIERARCHY.ona])
}

#[test]
fn signatures_of_other_profiles_get_what_it_takes_to_verify_them() {
    let signed = signed_after_another_profile(true);
    let asked = asked(&needs(&signed, &[]));
    for name in ["Ona", "Jonas"] {
        assert!(
            asked.contains(&("revocation", name.to_owned())),
            "{asked:?}"
        );
    }

    let archived = archived(&signed);

    let expected = ["unknown", "PAdES-B-LT"].map(|level| (level.to_owned(), Integrity::Intact));
    assert_eq!(levels(&archived), expected);
    let (again, nothing) = step(&archived, &request(), &[]).unwrap();
    assert!(matches!(again, Step::Done(outcome) if !outcome.changed));
    assert!(nothing.is_empty());
}

#[test]
fn pyhanko_is_content_with_signatures_of_other_profiles_alone() {
    let signed = signed_after_another_profile(true);
    if let Some(before) = pyhanko_is_content_alone(&signed, false) {
        let after = pyhanko_is_content_alone(&archived(&signed), false);
        assert_eq!((before, after), (false, Some(true)));
    }
}

#[test]
fn what_a_signature_of_another_profile_lacks_is_named() {
    let signed = signed_after_another_profile(true);
    let nothing_of_jonas = |need: &Need| -> Answer {
        if need.kind == NeedKind::Revocation && subject(need) == "Jonas" {
            need.answer(Err("unavailable"))
        } else {
            HIERARCHY.answer(need)
        }
    };

    let missing = missing(&signed, nothing_of_jonas);

    let [missing] = &missing[..] else {
        panic!("{missing:?}")
    };
    assert!(
        missing.starts_with("Field400: signer's chain, certificate "),
        "{missing}"
    );
    assert!(
        missing.ends_with("no revocation data: unavailable"),
        "{missing}"
    );
}

#[test]
fn a_signature_of_another_profile_without_a_time_stamp_is_named() {
    let signed = signed_after_another_profile(false);

    let missing = missing(&signed, |need| HIERARCHY.answer(need));

    assert_eq!(missing, ["Field400: it has no time-stamp"]);
}
