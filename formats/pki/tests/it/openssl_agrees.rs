use std::fs;

use parafa_format_core::DigestAlgorithm;
use parafa_pki::{SignedData, SigningCertificate, TimestampToken};

use crate::pki::{Holder, Pki, openssl, rsa_key};
use crate::verified::holds;

#[test]
fn a_time_stamp_binds_to_the_bytes_that_it_stamps() {
    let pki = Pki::new();
    let token = TimestampToken::parse(&pki.timestamp(b"what is stamped")).unwrap();

    assert!(token.stamps(b"what is stamped"));
    assert!(!token.stamps(b"something else"));
    assert_eq!(token.imprint_algorithm(), Some(DigestAlgorithm::Sha256));
    assert_eq!(
        token.signed_data().signing_certificate(),
        SigningCertificate::Matches
    );
}

#[test]
fn a_signature_made_by_openssl_is_read_as_der_and_as_streamed_ber() {
    let pki = Pki::new();
    let signer = pki.signer("Foreign Signer", rsa_key(2048));
    write_signer(&pki, &signer);
    let command = [
        "cms",
        "-sign",
        "-binary",
        "-in",
        "content",
        "-signer",
        "signer.pem",
        "-inkey",
        "signer.key",
    ];
    for form in [
        &["-outform", "DER"][..],
        &["-outform", "DER", "-stream", "-nodetach"],
        &["-outform", "DER", "-keyid"],
    ] {
        let arguments = [&command[..], form, &["-cades", "-out", "foreign.der"]].concat();
        openssl(pki.folder(), &arguments);

        let read = SignedData::parse(&fs::read(pki.folder().join("foreign.der")).unwrap()).unwrap();

        assert_eq!(
            read.signer_common_name().as_deref(),
            Some("Foreign Signer"),
            "{form:?}"
        );
        assert_eq!(read.signing_certificate(), SigningCertificate::Matches);
        assert!(read.has_signing_time());
        assert!(holds(&read), "{form:?}");
    }
}

fn write_signer(pki: &Pki, signer: &Holder) {
    fs::write(pki.folder().join("content"), b"what is signed").unwrap();
    fs::write(
        pki.folder().join("signer.pem"),
        signer.certificate.to_pem().unwrap(),
    )
    .unwrap();
    fs::write(
        pki.folder().join("signer.key"),
        signer.key.private_key_to_pem_pkcs8().unwrap(),
    )
    .unwrap();
}
