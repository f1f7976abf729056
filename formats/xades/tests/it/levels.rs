//! Levels and time-stamps of signatures that others made.

use std::fs;

use parafa_fixtures::tool::samples;
use parafa_format_core::{NativeEnvironment, TimestampKind, TimestampStatus, levels};
use parafa_xades::{DataObjects, Verifier};
use parafa_xml::{Document, Limits};

use crate::container::Container;

/// Level and kinds of time-stamps, all of them intact.
type Expected = (&'static str, &'static [TimestampKind]);

/// What every signature of a file has; where
/// DSS 6.4, to which the roots alone are trusted, says something else, why.
const SAMPLES: [(&str, &[Expected]); 14] = {
    use TimestampKind::{Archive, Content, Signature, TimeMark};
    use levels::{XADES_B_B, XADES_B_LT, XADES_B_T, XADES_T};

    [
        // Revocation data of authorities are not there.
        (
            "dd4j__valid-asice-esteid2018.asice",
            &[(XADES_B_T, &[Signature])],
        ),
        (
            "dd4j__valid-asice-lta.asice",
            &[(XADES_B_T, &[Signature, Archive])],
        ),
        (
            "dd4j__space-in-datafile-name-percent-encoded-in-signature.asice",
            &[(XADES_B_T, &[Signature])],
        ),
        (
            "siva__test_lta_multiple_timestamps.asice",
            &[(
                XADES_B_T,
                &[
                    Signature, Archive, Archive, Archive, Archive, Archive, Archive, Archive,
                    Archive, Archive, Archive,
                ],
            )],
        ),
        ("dss__asic-xades-ers.sce", &[(XADES_B_T, &[Signature])]),
        // The responder is not one of the issuer's, but of the root's (RFC 6960,
        // 4.2.2.2). DSS asks for its chain alone, and says LT or LTA.
        ("dd4j__valid-asice.asice", &[(XADES_B_T, &[Signature])]),
        ("dd4j__PSS-signature.asice", &[(XADES_B_T, &[Signature])]),
        (
            "dd4j__bdoc-with-tm-and-ts-signature.bdoc",
            &[(XADES_B_B, &[TimeMark]), (XADES_B_T, &[Signature])],
        ),
        (
            "dss__asic-xades-lta-signed-manifest.sce",
            &[(XADES_B_T, &[Content, Signature, Archive])],
        ),
        (
            "dss__asic-xades-signed-signature.sce",
            &[
                (XADES_B_B, &[Content]),
                (XADES_B_T, &[Content, Signature, Archive]),
            ],
        ),
        (
            "dd4j__valid-bdoc-tm-newer.bdoc",
            &[(XADES_B_B, &[TimeMark])],
        ),
        ("dss__container-signed.adoc", &[(XADES_B_LT, &[Signature])]),
        (
            "dd4j__latvian_T_signature.asice",
            &[(XADES_B_T, &[Signature])],
        ),
        ("dokobit__signed.adoc", &[(XADES_T, &[Signature])]),
    ]
};

fn container(file: &str) -> Option<Container> {
    let bytes = fs::read(samples()?.join("containers").join(file)).unwrap();
    Container::read(bytes)
}

#[test]
fn the_level_of_a_signature_is_what_it_holds_for_those_who_trust_its_roots() {
    for (file, expected) in SAMPLES {
        let Some(container) = container(file) else {
            return;
        };
        let verified = container.verify().unwrap();
        let found: Vec<_> = verified
            .iter()
            .map(|one| {
                let intact = one.timestamps.iter().map(|stamp| {
                    assert_eq!(stamp.status, TimestampStatus::Intact, "{file}: {stamp:?}");
                    stamp.kind
                });
                (one.level, intact.collect::<Vec<_>>())
            })
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(level, kinds)| (*level, kinds.as_slice()))
            .collect();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_time_mark_of_another_value_marks_nothing() {
    let Some(container) = container("dd4j__valid-bdoc-tm-newer.bdoc") else {
        return;
    };
    let file = container.read("META-INF/signatures0.xml").unwrap();
    let file = String::from_utf8(file).unwrap();
    let value = file.find("</ds:SignatureValue>").unwrap() - "==".len() - 8;
    let other = if &file[value..=value] == "A" {
        "B"
    } else {
        "A"
    };
    let changed = [&file[..value], other, &file[value + 1..]].concat();
    let document = Document::parse(changed.as_bytes(), &Limits::default()).unwrap();

    let verified = Verifier::new(&NativeEnvironment, &container).verify(&document);

    let [one] = &verified.unwrap()[..] else {
        panic!("there is one signature")
    };
    assert_eq!(one.timestamps[0].kind, TimestampKind::TimeMark);
    assert_eq!(one.timestamps[0].status, TimestampStatus::ImprintMismatch);
    assert_eq!(one.level, levels::UNKNOWN);
}
