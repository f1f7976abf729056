//! X.509 certificates, which the host and the plugins read each for itself.

use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use parafa_pki::{SignedData, SigningCertificate};

use crate::authority::WORLD;
use crate::target::Target;

/// Both readers of certificates.
///
/// What the host takes, a plugin takes as well and sees the same in it; and a
/// signature made with it is read back as its.
pub const CERTIFICATE: Target = Target {
    name: "certificate",
    run,
    seeds,
};

fn run(input: &[u8]) {
    let read = parafa_pki::Certificate::from_der(input);
    if let Ok(certificate) = &read {
        assert_eq!(certificate.as_der(), input);
        let _ = certificate.common_name();
        signs(input);
    }
    if let Ok(trusted) = parafa_trust::Certificate::from_der(input) {
        let certificate = read.expect("what the host takes, a plugin takes as well");
        assert_eq!(trusted.der(), input);
        assert_eq!(trusted.subject_der(), certificate.subject());
        assert_eq!(trusted.issuer_der(), certificate.issuer());
        assert_eq!(trusted.spki_der(), certificate.subject_public_key_info());
        assert!(trusted.names_issuer(&trusted) || trusted.subject_der() != trusted.issuer_der());
        let _ = (trusted.subject(), trusted.national_identifier());
        let _ = (trusted.key_usage(), trusted.extended_key_usage());
        let _ = (trusted.qualified_statements(), trusted.ocsp_urls());
    }
}

/// Puts a signature around the certificate and reads it back.
fn signs(certificate: &[u8]) {
    const VALUE: &[u8] = b"value";

    let digest = DigestAlgorithm::Sha256;
    let attributes = SignedAttributes::new(&[7; 32], digest, certificate)
        .expect("the certificate was read before");
    let chain = [certificate.to_vec(), WORLD.issuer.certificate.clone()];
    let algorithm = SignatureAlgorithm::Ecdsa(digest);
    let der = SignedDataBuilder::new(&attributes, algorithm, &chain, VALUE)
        .expect("the certificate was read before")
        .to_der();
    let signature = SignedData::parse(&der).expect("what was written is read back");
    assert_eq!(signature.signer_certificate(), Some(certificate));
    assert_eq!(signature.signing_certificate(), SigningCertificate::Matches);
    assert_eq!(
        signature.signed_attributes(),
        Some(attributes.to_be_signed())
    );
    assert_eq!(signature.signature_algorithm(), Some(algorithm));
    assert_eq!(signature.value(), VALUE);
}

fn seeds() -> Vec<Vec<u8>> {
    [
        &WORLD.issuer,
        &WORLD.signer,
        &WORLD.responder,
        &WORLD.stamper,
    ]
    .map(|identity| identity.certificate.clone())
    .to_vec()
}
