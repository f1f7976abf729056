//! Signature wrapping: parts moved, duplicated or exchanged.

use openssl::nid::Nid;
use parafa_format_core::{DigestAlgorithm, Integrity, SignatureAlgorithm};
use parafa_xades::{Fault, Verified};

use crate::making::{signature_file, verified};
use crate::pki::{Pki, ec_key};

const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

fn signed() -> String {
    let pki = Pki::new();
    let signer = pki.signer("Ona Signer", ec_key(Nid::X9_62_PRIME256V1));
    let [basic, _] = signature_file(&pki, &signer, ALGORITHM);
    basic
}

/// Returns the text from a start tag to its end tag.
fn part<'f>(file: &'f str, name: &str) -> &'f str {
    let begins = file.find(&format!("<{name}")).unwrap();
    let end_tag = format!("</{name}>");
    &file[begins..][..file[begins..].find(&end_tag).unwrap() + end_tag.len()]
}

#[track_caller]
fn judged(file: &str, fault: &Fault) -> Verified {
    let verified = verified(file);
    assert_eq!(verified.fault.as_ref(), Some(fault));
    assert_eq!(verified.integrity, fault.integrity());
    assert!(verified.covers.is_empty());
    verified
}

#[test]
fn properties_that_were_moved_away_are_not_those_of_the_signature() {
    let file = signed();
    let properties = part(&file, "xades:SignedProperties");
    let forged = properties
        .replace("S0-properties", "forged")
        .replace("2026", "2020");
    let moved = file.replace(properties, &forged).replace(
        "</ds:Signature>",
        &format!("<ds:Object>{properties}</ds:Object></ds:Signature>"),
    );

    judged(&moved, &Fault::SignedProperties);
}

#[test]
fn two_elements_of_one_identifier_mislead_nobody() {
    let file = signed();
    let properties = part(&file, "xades:SignedProperties");
    let forged = properties.replace("2026", "2020");
    let doubled = file.replace(properties, &forged).replace(
        "</ds:Signature>",
        &format!("<ds:Object>{properties}</ds:Object></ds:Signature>"),
    );

    judged(&doubled, &Fault::DuplicateId("S0-properties".into()));
}

#[test]
fn properties_of_another_signature_are_none() {
    let other = signed().replace("Target=\"#S0\"", "Target=\"#S1\"");
    judged(&other, &Fault::Target);
}

#[test]
fn a_second_set_of_properties_is_refused() {
    let file = signed();
    let properties = part(&file, "xades:QualifyingProperties");
    let second = properties.replace("S0-properties", "S0-others");
    let doubled = file.replace(properties, &format!("{properties}{second}"));

    judged(&doubled, &Fault::NotOnce("QualifyingProperties"));
}

#[test]
fn only_the_certificate_that_is_named_can_have_signed() {
    let pki = Pki::new();
    let victim = pki.signer("Ona Victim", ec_key(Nid::X9_62_PRIME256V1));
    let attacker = pki.signer("Ona Attacker", ec_key(Nid::X9_62_PRIME256V1));
    let [of_victim, _] = signature_file(&pki, &victim, ALGORITHM);
    let [of_attacker, _] = signature_file(&pki, &attacker, ALGORITHM);

    let data = part(&of_attacker, "ds:X509Data");
    let both = format!("{}{data}", part(&of_victim, "ds:X509Data"));
    let certificates = of_attacker.replace(data, &both);
    assert_eq!(verified(&certificates).fault, None);

    let forged = certificates.replace(
        part(&of_attacker, "ds:SignedInfo"),
        part(&of_victim, "ds:SignedInfo"),
    );
    let forged = forged.replace(
        part(&of_attacker, "xades:SignedProperties"),
        part(&of_victim, "xades:SignedProperties"),
    );
    let verified = judged(&forged, &Fault::Value);
    assert_eq!(
        verified.signer_certificate,
        Some(victim.certificate.to_der().unwrap())
    );

    let without = of_attacker.replace(data, part(&of_victim, "ds:X509Data"));
    judged(&without, &Fault::NoSigner);
}

#[test]
fn a_signature_within_another_element_is_none() {
    let file = signed();
    let begins = file.find("<ds:Signature Id").unwrap();
    let ends = file.find("</asic:").unwrap();
    let nested = [
        &file[..begins],
        "<wrapped>",
        &file[begins..ends],
        "</wrapped>",
        &file[ends..],
    ]
    .concat();
    let container = crate::container::Container::read(crate::making::container(&[&nested]));

    assert_eq!(container.unwrap().verify().unwrap().len(), 0);
}

#[test]
fn what_is_changed_has_another_digest() {
    let file = signed();
    let time = file.replace("2026-01-02", "2026-01-03");
    judged(&time, &Fault::Digest("#S0-properties".into()));
    let reference = file.replace("URI=\"sutartis.pdf\"", "URI=\"absent.pdf\"");
    judged(&reference, &Fault::Location("absent.pdf".into()));
    let network = file.replace("URI=\"sutartis.pdf\"", "URI=\"http://127.0.0.1/\"");
    judged(&network, &Fault::Location("http://127.0.0.1/".into()));
}

#[test]
fn transforms_other_than_canonicalization_are_not_carried_out() {
    let xslt = "<ds:Transforms><ds:Transform \
                Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"/></ds:Transforms>";
    let file = signed();
    let method = file.find("<ds:DigestMethod").unwrap();
    let transformed = [&file[..method], xslt, &file[method..]].concat();

    let verified = judged(&transformed, &Fault::Transforms("sutartis.pdf".into()));
    assert_eq!(verified.integrity, Integrity::Malformed);
}

#[test]
fn unsigned_properties_that_are_doubled_are_nobodys() {
    let file = signed();
    let end = "</xades:QualifyingProperties>";
    let more = "<xades:UnsignedProperties></xades:UnsignedProperties>";
    let doubled = file.replace(end, &format!("{more}{more}{end}"));

    judged(&doubled, &Fault::NotOnce("UnsignedProperties"));
}
