use openssl::nid::Nid;
use parafa_attorney::{
    ChainError, KeyAlgorithm, SigningKey, SigningKeyError, SoftwareKey, SoftwareKeyError,
};

use crate::support::{Holder, digest, verifies};

#[tokio::test]
async fn keys_of_every_kind_sign_digests_that_verify() {
    for (holder, algorithm) in [
        (Holder::rsa(2048), KeyAlgorithm::Rs256),
        (Holder::elliptic(Nid::X9_62_PRIME256V1), KeyAlgorithm::Es256),
        (Holder::elliptic(Nid::SECP384R1), KeyAlgorithm::Es384),
    ] {
        let key = SoftwareKey::from_pem(&holder.key_pem(), &holder.certificate_pem()).unwrap();
        assert_eq!(key.algorithm(), algorithm);
        assert_eq!(key.chain(), [holder.certificate.to_der().unwrap()]);

        let value = key.sign_digest(&digest(algorithm)).await.unwrap();

        assert!(verifies(&holder.certificate, algorithm, &value));
    }
}

#[tokio::test]
async fn what_is_no_digest_of_the_algorithm_is_not_signed() {
    let holder = Holder::elliptic(Nid::X9_62_PRIME256V1);
    let key = SoftwareKey::from_pem(&holder.key_pem(), &holder.certificate_pem()).unwrap();

    for octets in [0, 31, 33, 48] {
        let signed = key.sign_digest(&vec![1; octets]).await;
        assert!(matches!(signed, Err(SigningKeyError::Refused(_))));
    }
}

#[test]
fn a_key_and_a_certificate_that_do_not_belong_together_are_refused() {
    let [one, other] = [(); 2].map(|()| Holder::elliptic(Nid::X9_62_PRIME256V1));

    let read = SoftwareKey::from_pem(&one.key_pem(), &other.certificate_pem());

    assert!(matches!(read, Err(SoftwareKeyError::OtherKey)));
}

#[test]
fn keys_that_are_too_weak_or_of_another_kind_are_refused() {
    for holder in [Holder::rsa(1024), Holder::elliptic(Nid::SECP256K1)] {
        let read = SoftwareKey::from_pem(&holder.key_pem(), &holder.certificate_pem());

        let Err(SoftwareKeyError::Chain(fault)) = read else {
            panic!("it is taken")
        };
        assert!(matches!(fault, ChainError::UnsupportedKey));
    }
}

#[test]
fn what_is_no_pem_is_refused() {
    let holder = Holder::elliptic(Nid::X9_62_PRIME256V1);

    let no_key = SoftwareKey::from_pem(b"a key", &holder.certificate_pem());
    let no_certificate = SoftwareKey::from_pem(&holder.key_pem(), b"a certificate");

    assert!(matches!(no_key, Err(SoftwareKeyError::Key(_))));
    assert!(matches!(no_certificate, Err(SoftwareKeyError::Chain(_))));
}
