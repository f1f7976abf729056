//! All signature algorithms of the catalogue, with every key length.

use openssl::nid::Nid;
use parafa_fixtures::plain;
use parafa_format_core::{DigestAlgorithm as Digest, SignatureAlgorithm as Algorithm};

use super::component::{Component, PKI, Signer};
use super::judges::Judges;
use super::newest_is_sound;
use super::pki::{Holder, ec_key, rsa_key};

/// Time limit for one file, in seconds.
const SECONDS: u32 = 30;
/// Length of Smart-ID keys.
const LONGEST_RSA_BITS: u32 = 6144;
const RSA_BITS: [u32; 4] = [2048, 3072, 4096, LONGEST_RSA_BITS];
const CURVES: [(&str, Nid, Digest); 3] = [
    ("P-256", Nid::X9_62_PRIME256V1, Digest::Sha256),
    ("P-384", Nid::SECP384R1, Digest::Sha384),
    ("P-521", Nid::SECP521R1, Digest::Sha512),
];
const DIGESTS: [Digest; 3] = [Digest::Sha256, Digest::Sha384, Digest::Sha512];

#[tokio::test]
async fn every_algorithm_and_length_of_key_signs_and_the_referees_agree() {
    let Some(judges) = Judges::find() else { return };
    let component = Component::load().await;
    let document = plain(1);
    let mut signed = Vec::new();
    for (name, holder, algorithms) in holders() {
        for algorithm in algorithms {
            let signer = Signer::new(holder.clone(), algorithm);
            let output = component.sign(&document, &signer).await;
            let name = format!("{name}-{algorithm}.pdf");
            let output = output.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            signed.push((judges.file(&name, &output), output));
        }
    }

    let files: Vec<_> = signed.iter().map(|(file, _)| file.clone()).collect();
    let mut wrong = Vec::new();
    for ((file, output), verdict) in signed.iter().zip(judges.pyhanko(&files, SECONDS)) {
        if !newest_is_sound(&verdict) || verdict.lenient {
            wrong.push(format!("{}: {verdict:?}", file.display()));
        }
        if let Err(said) = Judges::openssl(output, document.len()) {
            wrong.push(format!("{}: {said}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_long_chain_has_room_and_a_longer_one_is_refused_before_anybody_signs() {
    let component = Component::load().await;
    let holder = PKI.signer("Rasa Pirmoji", rsa_key(2048));
    let others = |count: usize| {
        let key = rsa_key(4096);
        (0..count)
            .map(|index| {
                let other = PKI.signer(&format!("Other {index}"), key.clone());
                other.certificate.to_der().expect("a certificate")
            })
            .collect()
    };
    let signer = Signer::new(holder, Algorithm::RsaPkcs1(Digest::Sha256));

    let long = signer.clone().with_issuers(others(12));
    let too_long = signer.with_issuers(others(40)).that_never_signs();

    assert!(component.sign(&plain(1), &long).await.is_ok());
    let refusal = component.sign(&plain(1), &too_long).await.unwrap_err();
    assert_eq!(refusal.code, "no-room");
    assert!(refusal.detail.ends_with("were reserved."), "{refusal}");
}

/// Returns holders of every kind of key, with the algorithms of their devices.
fn holders() -> Vec<(String, Holder, Vec<Algorithm>)> {
    let rsa = RSA_BITS.map(|bits| {
        let algorithms = DIGESTS
            .into_iter()
            .flat_map(|digest| [Algorithm::RsaPkcs1(digest), Algorithm::RsaPss(digest)])
            .collect();
        (
            format!("RSA-{bits}"),
            PKI.signer("Rasa Pirmoji", rsa_key(bits)),
            algorithms,
        )
    });
    let ec = CURVES.map(|(name, curve, digest)| {
        (
            name.to_owned(),
            PKI.signer("Elena Pirmoji", ec_key(curve)),
            vec![Algorithm::Ecdsa(digest)],
        )
    });
    rsa.into_iter().chain(ec).collect()
}
