//! CMS signatures and time-stamp tokens, as plugins read them.

use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use parafa_pki::{Certificate, SignedData, TimestampToken};

use crate::authority::{WORLD, timestamp_info};
use crate::target::Target;

/// The reader of SignedData.
///
/// Zeros behind a signature change nothing, its parts are read whenever it is,
/// and reading a second time gives the same.
pub const CMS: Target = Target {
    name: "cms",
    run,
    seeds,
};

fn run(input: &[u8]) {
    let _ = TimestampToken::parse(input).map(|token| token.stamps(b"value"));
    let Ok(signature) = SignedData::parse(input) else {
        return;
    };
    let padded = SignedData::parse(&[input, &[0; 64]].concat());
    let padded = padded.expect("zeros may follow");
    assert_eq!(format!("{signature:?}"), format!("{padded:?}"));
    let _ = signature.signer_common_name();
    for certificate in signature.certificates() {
        let _ = Certificate::from_der(certificate).map(|read| read.common_name());
    }
    if let Some(signer) = signature.signer_certificate() {
        assert!(signature.certificates().iter().any(|der| der == signer));
    }
    for token in signature.timestamps() {
        let _ = TimestampToken::parse(token).map(|token| token.stamps(signature.value()));
    }
}

fn seeds() -> Vec<Vec<u8>> {
    const VALUE: &[u8] = b"value";

    let token = WORLD.timestamp_token(&timestamp_info(&[1; 32], "20261121160000Z", &[0x65; 16]));
    let chain = [&WORLD.signer, &WORLD.issuer].map(|identity| identity.certificate.clone());
    let attributes = SignedAttributes::new(&[7; 32], DigestAlgorithm::Sha256, &chain[0])
        .expect("the signer's certificate is sound");
    let signatures = [
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256),
        SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha256),
    ]
    .map(|algorithm| {
        SignedDataBuilder::new(&attributes, algorithm, &chain, VALUE)
            .and_then(|builder| builder.with_timestamp(&token))
            .expect("the chain and the token are sound")
            .to_der()
    });
    let streamed = with_indefinite_length(&signatures[0]);
    let mut seeds = signatures.to_vec();
    seeds.extend([token, streamed]);
    seeds
}

/// The same ContentInfo in BER, its outermost length left open (X.690, 8.1.3.6).
fn with_indefinite_length(der: &[u8]) -> Vec<u8> {
    let header = match der.get(1) {
        Some(0x82) => 4,
        Some(0x81) => 3,
        _ => 2,
    };
    [&[0x30, 0x80], &der[header..], &[0, 0]].concat()
}
