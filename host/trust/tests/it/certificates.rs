use const_oid::db::rfc5912::{ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384};
use der::{Decode, Encode};
use openssl::nid::Nid;
use parafa_issuing::der::bit_string;
use parafa_issuing::oids::rfc4519::SERIAL_NUMBER;
use parafa_trust::{Certificate, CertificateError, EcCurve, KeyKind, forget_unused};
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::ext::pkix::KeyUsages;

use crate::asn1::{oid, sequence};
use crate::authority::{QC_COMPLIANCE, QC_SSCD, Template, on_curve, rsa};
use crate::world::{OCSP_URL, World, signer_template};

#[test]
fn a_signers_certificate_is_read() {
    let world = World::new();
    let signer = signer_template()
        .policies(&["0.4.0.194112.1.2"])
        .issued_by(&world.issuing);
    let certificate = signer.certificate();
    let subject = certificate.subject();
    assert_eq!(subject.country(), Some("LT"));
    assert_eq!(subject.serial_number(), Some("PNOLT-50001018865"));
    assert_eq!(subject.given_name(), Some("VARDENĖ"));
    assert_eq!(subject.surname(), Some("PAVARDENĖ"));
    assert_eq!(subject.common_name(), Some("VARDENĖ PAVARDENĖ"));
    assert_eq!(subject.full_name().as_deref(), Some("VARDENĖ PAVARDENĖ"));
    let identifier = certificate.national_identifier().expect("an identifier");
    assert_eq!(identifier.as_str(), "PNOLT-50001018865");
    assert!(
        certificate
            .key_usage()
            .expect("key usage")
            .non_repudiation()
    );
    assert_eq!(certificate.policies().len(), 1);
    assert_eq!(certificate.ocsp_urls(), [OCSP_URL]);
    assert!(
        certificate
            .qualified_statements()
            .is_for_electronic_signatures()
    );
    assert!(certificate.names_issuer(&world.issuing.certificate()));
    assert!(!certificate.names_issuer(&world.root.certificate()));
    assert_eq!(certificate.der(), signer.der());
}

#[test]
fn a_certificate_that_was_read_before_is_not_read_again_until_nobody_asks_for_it() {
    let world = World::new();
    let signer = signer_template().issued_by(&world.issuing);
    let first = signer.certificate();
    let is_remembered = || std::ptr::eq(first.der(), signer.certificate().der());

    for _ in 0..3 {
        assert!(is_remembered());
        forget_unused();
    }

    forget_unused();
    assert!(!is_remembered(), "a person's certificate stays");
}

#[test]
fn a_certificate_is_issued_by_whose_key_signed_it() {
    let world = World::new();
    let signer = signer_template().issued_by(&world.issuing);
    let issuer = world.issuing.certificate();
    let mut forged = signer.der();
    *forged.last_mut().expect("octets") ^= 1;

    assert!(signer.certificate().is_issued_by(&issuer));
    assert!(!issuer.is_issued_by(&signer.certificate()));
    let forged = Certificate::from_der(&forged).expect("a certificate");
    assert!(!forged.is_issued_by(&issuer));
}

#[test]
fn a_certificate_that_names_two_signature_algorithms_is_issued_by_nobody() {
    let world = World::new();
    let issuer = world.issuing.certificate();
    let signer = world.signer().der();
    for (inner, is_issued) in [(ECDSA_WITH_SHA_256, true), (ECDSA_WITH_SHA_384, false)] {
        let mut certificate: CertificateInner<Raw> =
            CertificateInner::from_der(&signer).expect("a certificate");
        certificate.tbs_certificate.signature.oid = inner;
        let signed = certificate.tbs_certificate.to_der().expect("DER");
        let outer = certificate.signature_algorithm.to_der().expect("DER");
        let value = world.issuing.credential().key.sign(&signed);
        let value = bit_string(&value.expect("a signature"));
        let der = sequence(&[&signed, &outer, &value]);

        let certificate = Certificate::from_der(&der).expect("a certificate");

        assert_eq!(certificate.is_issued_by(&issuer), is_issued, "{inner}");
    }
}

#[test]
fn a_bare_code_of_a_lithuanian_card_is_normalised() {
    let world = World::new();
    let card = Template::signer("50001018865")
        .issued_by(&world.issuing)
        .certificate();
    let identifier = card.national_identifier().expect("an identifier");
    assert_eq!(identifier.as_str(), "PNOLT-50001018865");
    assert_eq!(card.subject().serial_number(), Some("50001018865"));
}

#[test]
fn two_serial_numbers_in_a_subject_identify_nobody() {
    let world = World::new();
    let signer = Template::signer("PNOLT-50001018865")
        .attribute(SERIAL_NUMBER, "PNOLT-33309240064")
        .issued_by(&world.issuing);
    assert_eq!(signer.certificate().national_identifier(), None);
}

#[test]
fn no_personal_value_is_shown_by_debug() {
    let certificate = World::new().signer().certificate();
    let shown = format!("{certificate:?} {:?}", certificate.subject());
    for value in ["50001018865", "VARDENĖ", "PAVARDENĖ"] {
        assert!(!shown.contains(value), "{shown}");
    }
}

#[test]
fn key_kinds_are_told_apart() {
    let kind = |key| {
        Template::new("key")
            .key(key)
            .self_signed()
            .certificate()
            .key_kind()
            .clone()
    };
    assert_eq!(kind(rsa(2048)), KeyKind::Rsa { bits: 2048 });
    for (nid, curve) in [
        (Nid::X9_62_PRIME256V1, EcCurve::P256),
        (Nid::SECP384R1, EcCurve::P384),
        (Nid::SECP521R1, EcCurve::P521),
        (Nid::SECP256K1, EcCurve::Other),
    ] {
        assert_eq!(kind(on_curve(nid)), KeyKind::Ec { curve });
    }
    let curves = [EcCurve::P256, EcCurve::P384, EcCurve::P521, EcCurve::Other];
    let octets = curves.map(EcCurve::field_octets);
    assert_eq!(octets, [Some(32), Some(48), Some(66), None]);
}

#[test]
fn a_6144_bit_modulus_is_read() {
    let mut modulus = vec![0xff; 768];
    modulus[767] = 0x0b;
    let modulus = openssl::bn::BigNum::from_slice(&modulus).expect("a number");
    let exponent = openssl::bn::BigNum::from_u32(65537).expect("a number");
    let key = openssl::rsa::Rsa::from_public_components(modulus, exponent).expect("a key");
    let key = openssl::pkey::PKey::from_rsa(key).expect("a key");
    let signer = rsa(2048);
    let mut builder = openssl::x509::X509::builder().expect("a builder");
    builder.set_version(2).expect("a version");
    builder.set_pubkey(&key).expect("a key");
    let time = |text| openssl::asn1::Asn1Time::from_str(text).expect("a time");
    builder
        .set_not_before(&time("20200101000000Z"))
        .expect("a time");
    builder
        .set_not_after(&time("20400101000000Z"))
        .expect("a time");
    builder
        .sign(&signer, openssl::hash::MessageDigest::sha256())
        .expect("a signature");
    let der = builder.build().to_der().expect("DER");
    let certificate = Certificate::from_der(&der).expect("a certificate");
    assert_eq!(certificate.key_kind(), &KeyKind::Rsa { bits: 6144 });
}

#[test]
fn unreadable_statements_qualify_nobody() {
    let world = World::new();
    let signer = signer_template()
        .raw_extension("1.3.6.1.5.5.7.1.3", false, vec![0x04, 0x00])
        .issued_by(&world.issuing);
    assert!(!signer.certificate().qualified_statements().compliance);
}

#[test]
fn a_seal_statement_is_seen() {
    let world = World::new();
    let seal = sequence(&[
        &oid("0.4.0.1862.1.6"),
        &sequence(&[&oid("0.4.0.1862.1.6.2")]),
    ]);
    let statements = [
        sequence(&[&oid(QC_COMPLIANCE)]),
        sequence(&[&oid(QC_SSCD)]),
        seal,
    ];
    let certificate = signer_template()
        .raw_qc(&statements)
        .issued_by(&world.issuing)
        .certificate();
    let read = certificate.qualified_statements();
    assert!(read.compliance && read.sscd && !read.is_for_electronic_signatures());
}

#[test]
fn an_unreadable_key_usage_is_an_error() {
    let world = World::new();
    let broken = Template::new("broken")
        .key_usage(KeyUsages::NonRepudiation.into())
        .raw_extension("2.5.29.15", true, vec![0x02, 0x01, 0x01])
        .issued_by(&world.issuing);
    let read = Certificate::from_der(&broken.der());
    assert!(
        matches!(read, Err(CertificateError::Extension(_))),
        "{read:?}"
    );
}

#[test]
fn octets_after_a_certificate_are_refused() {
    let mut der = World::new().signer().der();
    der.push(0);
    assert!(Certificate::from_der(&der).is_err());
}
