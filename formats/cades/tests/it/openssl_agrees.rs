use std::fs;

use openssl::hash::hash;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use parafa_pki::{SignedData, SigningCertificate};

use crate::pki::{Holder, Pki, ec_key, message_digest, openssl, rsa_key};
use crate::verified::holds;

const CONTENT: &[u8] = b"what is signed";

#[test]
fn openssl_accepts_rsa_pkcs1() {
    accepted(
        rsa_key(2048),
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256),
    );
}

#[test]
fn openssl_accepts_rsa_pss() {
    accepted(
        rsa_key(2048),
        SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha512),
    );
}

#[test]
fn openssl_accepts_ecdsa_on_p256_and_p384() {
    accepted(
        ec_key(Nid::X9_62_PRIME256V1),
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
    );
    accepted(
        ec_key(Nid::SECP384R1),
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384),
    );
}

#[test]
fn a_signature_reads_back_with_its_certificates_byte_for_byte() {
    let pki = Pki::new();
    let signer = pki.signer("Šarūnė Žąsis", ec_key(Nid::X9_62_PRIME256V1));
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let (attributes, value) = sign(&signer, algorithm);
    let token = pki.timestamp(&value);
    let chain = pki.chain(&signer);
    let der = SignedDataBuilder::new(&attributes, algorithm, &chain, &value)
        .unwrap()
        .with_timestamp(&token)
        .unwrap()
        .to_der();

    let read = SignedData::parse(&[der.as_slice(), &[0; 100]].concat()).unwrap();

    assert_eq!(read.signed_attributes(), Some(attributes.to_be_signed()));
    assert_eq!(
        read.message_digest(),
        Some(digest(DigestAlgorithm::Sha256, CONTENT).as_slice())
    );
    assert_eq!(read.signed_content_type(), Some(read.content_type()));
    assert_eq!(read.content(), None);
    assert_eq!(read.digest_algorithm(), Some(DigestAlgorithm::Sha256));
    assert_eq!(read.signature_algorithm(), Some(algorithm));
    assert_eq!(read.value(), value);
    assert_eq!(read.timestamps(), [token]);
    assert_eq!(read.signer_certificate(), Some(chain[0].as_slice()));
    assert_eq!(read.signer_common_name().as_deref(), Some("Šarūnė Žąsis"));
    assert_eq!(read.signing_certificate(), SigningCertificate::Matches);
    assert!(!read.has_signing_time());
    assert_eq!(read.certificates().len(), 2);
    assert!(
        chain
            .iter()
            .all(|certificate| read.certificates().contains(certificate))
    );
}

#[test]
fn a_claimed_signing_time_is_read_back_on_either_side_of_2050() {
    let pki = Pki::new();
    let signer = pki.signer("Signer", ec_key(Nid::X9_62_PRIME256V1));
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let chain = pki.chain(&signer);
    let attributes = |time| {
        let hash = DigestAlgorithm::Sha256;
        SignedAttributes::with_signing_time(&[7; 32], hash, &chain[0], time)
    };

    for time in [0, 1_767_268_800, 2_524_607_999, 2_524_608_000] {
        let der = SignedDataBuilder::new(&attributes(time).unwrap(), algorithm, &chain, b"value")
            .unwrap()
            .to_der();
        assert_eq!(SignedData::parse(&der).unwrap().signing_time(), Some(time));
    }
    let encodes = |time, encoded: &[u8]| {
        let attributes = attributes(time).unwrap();
        let mut parts = attributes.to_be_signed().windows(encoded.len());
        parts.any(|part| part == encoded)
    };
    assert!(encodes(2_524_607_999, b"\x17\x0d491231235959Z"));
    assert!(encodes(2_524_608_000, b"\x18\x0f20500101000000Z"));
    for time in [-1, 253_402_300_800] {
        assert_eq!(
            attributes(time).unwrap_err().to_string(),
            format!("{time} seconds since 1970 are no signing time")
        );
    }
}

#[test]
fn a_certificate_that_the_attributes_do_not_name_is_told_apart() {
    let pki = Pki::new();
    let (signer, other) = (
        pki.signer("Signer", ec_key(Nid::X9_62_PRIME256V1)),
        pki.signer("Somebody Else", ec_key(Nid::X9_62_PRIME256V1)),
    );
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let (attributes, value) = sign(&signer, algorithm);

    let der = SignedDataBuilder::new(&attributes, algorithm, &pki.chain(&other), &value)
        .unwrap()
        .to_der();

    assert_eq!(
        SignedData::parse(&der).unwrap().signing_certificate(),
        SigningCertificate::Differs
    );
}

#[test]
fn of_two_certificates_with_one_serial_number_the_attributes_name_the_signers() {
    let pki = Pki::new();
    let signer = pki.signer("Signer", ec_key(Nid::X9_62_PRIME256V1));
    let certificate = signer.certificate.to_der().unwrap();
    let mut twin = certificate.clone();
    *twin.last_mut().unwrap() ^= 1;
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

    for chain in [[certificate.clone(), twin.clone()], [twin, certificate]] {
        let attributes =
            SignedAttributes::new(&[7; 32], DigestAlgorithm::Sha256, &chain[0]).unwrap();
        let der = SignedDataBuilder::new(&attributes, algorithm, &chain, b"value")
            .unwrap()
            .to_der();

        let read = SignedData::parse(&der).unwrap();

        assert_eq!(read.signer_certificate(), Some(chain[0].as_slice()));
        assert_eq!(read.signing_certificate(), SigningCertificate::Matches);
    }
}

#[test]
fn attributes_do_not_go_with_another_digest_or_sha1() {
    let pki = Pki::new();
    let signer = pki.signer("Signer", ec_key(Nid::SECP384R1));
    let chain = pki.chain(&signer);
    let attributes = SignedAttributes::new(&[0; 32], DigestAlgorithm::Sha256, &chain[0]).unwrap();

    let conflict = SignedDataBuilder::new(
        &attributes,
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384),
        &chain,
        &[],
    )
    .unwrap_err();
    let weak = SignedAttributes::new(&[0; 20], DigestAlgorithm::Sha1, &chain[0]).unwrap_err();

    assert_eq!(
        conflict.to_string(),
        "attributes digested with SHA-256 do not go with a signature over SHA-384"
    );
    assert_eq!(weak.to_string(), "SHA-1 is not accepted for new signatures");
}

fn accepted(key: PKey<Private>, algorithm: SignatureAlgorithm) {
    let pki = Pki::new();
    let signer = pki.signer("Signer", key);
    let (attributes, value) = sign(&signer, algorithm);
    let token = pki.timestamp(&value);
    let chain = pki.chain(&signer);
    let der = SignedDataBuilder::new(&attributes, algorithm, &chain, &value)
        .unwrap()
        .with_timestamp(&token)
        .unwrap()
        .to_der();
    let folder = pki.folder();
    fs::write(folder.join("signature.der"), &der).unwrap();
    fs::write(folder.join("content"), CONTENT).unwrap();

    let said = openssl(
        folder,
        &[
            "cms",
            "-verify",
            "-cades",
            "-binary",
            "-inform",
            "DER",
            "-in",
            "signature.der",
            "-content",
            "content",
            "-CAfile",
            "root.pem",
            "-purpose",
            "any",
            "-out",
            "verified",
        ],
    );

    assert!(said.contains("CAdES Verification successful"), "{said}");
    assert!(holds(&SignedData::parse(&der).unwrap()));
}

fn digest(algorithm: DigestAlgorithm, bytes: &[u8]) -> Vec<u8> {
    hash(message_digest(algorithm), bytes).unwrap().to_vec()
}

fn sign(signer: &Holder, algorithm: SignatureAlgorithm) -> (SignedAttributes, Vec<u8>) {
    let digest = digest(algorithm.digest(), CONTENT);
    let attributes = SignedAttributes::new(
        &digest,
        algorithm.digest(),
        &signer.certificate.to_der().unwrap(),
    )
    .unwrap();
    let value = signer.sign(algorithm, attributes.to_be_signed());
    (attributes, value)
}
