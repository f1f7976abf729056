use std::fs;
use std::path::Path;

use openssl::asn1::Asn1Time;
use openssl::bn::{BigNum, MsbOption};
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use openssl::x509::extension::{BasicConstraints, KeyUsage};
use openssl::x509::{X509, X509Name, X509NameBuilder};

/// A throw-away authority and a signer with a P-256 key.
pub(crate) struct Pki {
    authority: X509,
    signer: X509,
    key: PKey<Private>,
}

impl Pki {
    pub(crate) fn new() -> Self {
        let authority_key = key();
        let authority_name = name("Bench CA");
        let authority = certificate(
            &authority_name,
            &authority_key,
            &authority_name,
            &authority_key,
            true,
        );
        let key = key();
        let signer = certificate(
            &name("Bench Signer"),
            &key,
            &authority_name,
            &authority_key,
            false,
        );
        Self {
            authority,
            signer,
            key,
        }
    }

    /// DER, the signer's first.
    pub(crate) fn chain(&self) -> Vec<Vec<u8>> {
        [&self.signer, &self.authority]
            .map(|certificate| certificate.to_der().expect("DER"))
            .to_vec()
    }

    /// What the device would answer.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        let mut signer = Signer::new(MessageDigest::sha256(), &self.key).expect("a signer");
        signer.sign_oneshot_to_vec(bytes).expect("a signature")
    }

    /// The files that pyHanko's script reads.
    pub(crate) fn write(&self, folder: &Path) {
        let pem = |certificate: &X509| certificate.to_pem().expect("PEM");
        fs::write(folder.join("signer.pem"), pem(&self.signer)).expect("a file");
        fs::write(folder.join("issuer.pem"), pem(&self.authority)).expect("a file");
        let key = self.key.private_key_to_pem_pkcs8().expect("PEM");
        fs::write(folder.join("key.pem"), key).expect("a file");
    }
}

fn key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("P-256");
    PKey::from_ec_key(EcKey::generate(&group).expect("a key")).expect("a key")
}

fn name(common_name: &str) -> X509Name {
    let mut name = X509NameBuilder::new().expect("a name");
    name.append_entry_by_nid(Nid::COMMONNAME, common_name)
        .expect("a name");
    name.build()
}

fn certificate(
    subject: &X509Name,
    subject_key: &PKey<Private>,
    issuer: &X509Name,
    issuer_key: &PKey<Private>,
    authority: bool,
) -> X509 {
    let build = || -> Result<X509, openssl::error::ErrorStack> {
        let mut serial = BigNum::new()?;
        serial.rand(64, MsbOption::ONE, false)?;
        let mut builder = X509::builder()?;
        builder.set_version(2)?;
        builder.set_serial_number(&*serial.to_asn1_integer()?)?;
        builder.set_subject_name(subject)?;
        builder.set_issuer_name(issuer)?;
        builder.set_pubkey(subject_key)?;
        builder.set_not_before(&*Asn1Time::from_unix(super::SIGNING_TIME)?)?;
        builder.set_not_after(&*Asn1Time::days_from_now(3650)?)?;
        if authority {
            builder.append_extension(BasicConstraints::new().critical().ca().build()?)?;
            builder.append_extension(KeyUsage::new().critical().key_cert_sign().build()?)?;
        } else {
            builder.append_extension(KeyUsage::new().critical().non_repudiation().build()?)?;
        }
        builder.sign(issuer_key, MessageDigest::sha256())?;
        Ok(builder.build())
    };
    build().expect("a certificate")
}
