//! Levels and time-stamps of third-party signatures.

use std::collections::BTreeSet;
use std::fs;

use openssl::x509::X509;
use parafa_fixtures::referees::Dss;
use parafa_fixtures::tool::samples;
use parafa_format_core::{NativeEnvironment, TimestampKind, TimestampStatus, levels};
use parafa_pki::Certificate;
use parafa_xades::{DataObjects, Verifier};
use parafa_xml::{Document, Limits};

use crate::container::Container;

/// Level and kinds of time-stamps, all of them intact.
type Expected = (&'static str, &'static [TimestampKind]);

/// Expected result for every signature of a file.
const SAMPLES: [(&str, &[Expected]); 14] = {
    use TimestampKind::{Archive, Content, Signature, TimeMark};
    use levels::{XADES_B_B, XADES_B_LT, XADES_B_T, XADES_T};

    [
        // Revocation data of authorities is missing.
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
        // The responder belongs to the root rather than the issuer (RFC 6960,
        // 4.2.2.2).
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

/// Files with a responder of the root: DSS requires only its chain, and reports
/// LTA.
const WITH_RESPONDERS_OF_ROOTS: [&str; 2] = [
    "dss__asic-xades-lta-signed-manifest.sce",
    "dss__asic-xades-signed-signature.sce",
];

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
fn the_reference_validator_that_trusts_the_roots_alone_finds_the_same_levels() {
    let Some(samples) = samples() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let agreed = SAMPLES
        .iter()
        .filter(|(file, _)| !WITH_RESPONDERS_OF_ROOTS.contains(file));
    let (files, levels): (Vec<_>, Vec<_>) = agreed.copied().unzip();
    let mut roots = BTreeSet::new();
    for file in &files {
        let signatures = container(file).unwrap().verify().unwrap();
        let certificates = signatures.into_iter().flat_map(|one| one.certificates);
        roots.extend(certificates.filter(|der| {
            let certificate = Certificate::from_der(der).unwrap();
            certificate.issuer() == certificate.subject()
        }));
    }
    let roots = roots.iter().enumerate().map(|(number, der)| {
        let file = folder.path().join(format!("{number}.pem"));
        let certificate = X509::from_der(der).unwrap();
        fs::write(&file, certificate.to_pem().unwrap()).unwrap();
        file
    });
    let Some(dss) = Dss::find(&roots.collect::<Vec<_>>()) else {
        return;
    };
    let paths: Vec<_> = files
        .iter()
        .map(|file| samples.join("containers").join(file))
        .collect();

    let verdicts = dss.verdicts(&paths, &[]);

    for ((file, expected), verdict) in files.iter().zip(levels).zip(verdicts) {
        let found = verdict
            .signatures
            .iter()
            .map(|one| one.level.replace("BASELINE", "B"));
        let expected = expected.iter().map(|(level, _)| *level);
        assert_eq!(
            found.collect::<Vec<_>>(),
            expected.collect::<Vec<_>>(),
            "{file}"
        );
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
