use openssl::ec::{EcGroup, EcKey};
use openssl::hash::{MessageDigest, hash};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private, Public};
use openssl::rsa::Rsa;
use openssl::sign::Verifier;
use openssl::x509::X509;
use parafa_attorney::KeyAlgorithm;
use parafa_issuing::der::encoded;
use parafa_issuing::{Credential, Profile};

/// The message to sign.
pub(crate) const MESSAGE: &[u8] = b"an answer of a register";

/// A key with a self-signed certificate.
pub(crate) struct Holder {
    pub(crate) key: PKey<Private>,
    pub(crate) certificate: X509,
}

impl Holder {
    pub(crate) fn rsa(bits: u32) -> Self {
        Self::of(PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap())
    }

    pub(crate) fn elliptic(curve: Nid) -> Self {
        let group = EcGroup::from_curve_name(curve).unwrap();
        Self::of(PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap())
    }

    pub(crate) fn of(key: PKey<Private>) -> Self {
        let holder = Credential::self_signed(&Profile::named("Holder"), key.into()).unwrap();
        Self {
            certificate: holder.x509(),
            key: holder.key.pkey().clone(),
        }
    }

    /// A certificate of a key that is somewhere else.
    pub(crate) fn certified(key: &PKey<Public>) -> X509 {
        let issuer = Self::elliptic(Nid::X9_62_PRIME256V1);
        let certificate = issuer.certificate.to_der().unwrap();
        let issuer = Credential::new(issuer.key.into(), &certificate).unwrap();
        let key = key.public_key_to_der().unwrap();
        let certificate = Profile::named("Holder").issued_by(&issuer, &key).unwrap();
        X509::from_der(&encoded(&certificate)).unwrap()
    }

    pub(crate) fn key_pem(&self) -> Vec<u8> {
        self.key.private_key_to_pem_pkcs8().unwrap()
    }

    pub(crate) fn certificate_pem(&self) -> Vec<u8> {
        self.certificate.to_pem().unwrap()
    }
}

pub(crate) fn digest(algorithm: KeyAlgorithm) -> Vec<u8> {
    hash(digest_of(algorithm), MESSAGE).unwrap().to_vec()
}

/// Verifies the value with OpenSSL, which hashes the message itself.
pub(crate) fn verifies(certificate: &X509, algorithm: KeyAlgorithm, value: &[u8]) -> bool {
    let key = certificate.public_key().unwrap();
    let mut verifier = Verifier::new(digest_of(algorithm), &key).unwrap();
    verifier.verify_oneshot(value, MESSAGE).unwrap()
}

fn digest_of(algorithm: KeyAlgorithm) -> MessageDigest {
    match algorithm {
        KeyAlgorithm::Rs256 | KeyAlgorithm::Es256 => MessageDigest::sha256(),
        KeyAlgorithm::Es384 => MessageDigest::sha384(),
    }
}
