//! A temporary public key infrastructure: a root, signers and a time-stamping
//! authority, with the keys in this process.

use std::fs;
use std::path::Path;
use std::process::Command;

use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use openssl::sign::{RsaPssSaltlen, Signer as Signing};
use openssl::x509::X509;
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use parafa_issuing::oids::rfc4519::{COMMON_NAME, COUNTRY_NAME};
use parafa_issuing::oids::rfc5280::{ID_KP_OCSP_SIGNING, ID_KP_TIME_STAMPING};
use parafa_issuing::{Credential, Extension, Key, KeyUsages, Profile, Time, name, serial_number};
use tempfile::TempDir;

/// A key with its certificate.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(crate) key: PKey<Private>,
    pub(crate) certificate: X509,
}

/// The infrastructure, and a folder for the command-line tools.
pub(crate) struct Pki {
    /// Trust anchor.
    pub(crate) root: Holder,
    folder: TempDir,
}

impl Pki {
    /// Creates an infrastructure.
    pub(crate) fn new() -> Self {
        Self::with_stamper_on(Terms::usual())
    }

    /// Creates one whose time-stamping authority has a certificate with other
    /// terms.
    pub(crate) fn with_stamper_on(terms: Terms) -> Self {
        let root = issue(
            "Testing Root",
            ec_key(Nid::X9_62_PRIME256V1),
            None,
            Role::Authority,
        );
        let authority = issue_on(
            terms,
            "Testing TSA",
            ec_key(Nid::X9_62_PRIME256V1),
            Some(&root),
            Role::TimestampAuthority,
        );
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("root.pem"),
            root.certificate.to_pem().unwrap(),
        )
        .unwrap();
        fs::write(
            folder.path().join("tsa.pem"),
            authority.certificate.to_pem().unwrap(),
        )
        .unwrap();
        fs::write(
            folder.path().join("tsa.key"),
            authority.key.private_key_to_pem_pkcs8().unwrap(),
        )
        .unwrap();
        fs::write(folder.path().join("tsa.cnf"), TSA_CONFIGURATION).unwrap();
        Self { root, folder }
    }

    /// Returns the folder with the files of this infrastructure.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the certificate of the time-stamping authority.
    pub(crate) fn stamper(&self) -> X509 {
        X509::from_pem(&fs::read(self.folder().join("tsa.pem")).unwrap()).unwrap()
    }

    /// Issues a signer's certificate for qualified signatures only.
    pub(crate) fn signer(&self, name: &str, key: PKey<Private>) -> Holder {
        issue(name, key, Some(&self.root), Role::Signer)
    }

    /// Returns the signer's certificate and the root's.
    pub(crate) fn chain(&self, signer: &Holder) -> Vec<Vec<u8>> {
        vec![
            signer.certificate.to_der().unwrap(),
            self.root.certificate.to_der().unwrap(),
        ]
    }

    /// Returns a time-stamp token over `bytes`, made by `openssl ts`.
    pub(crate) fn timestamp(&self, bytes: &[u8]) -> Vec<u8> {
        let work = tempfile::tempdir_in(self.folder()).unwrap();
        fs::write(work.path().join("stamped"), bytes).unwrap();
        fs::write(work.path().join("serial"), "01\n").unwrap();
        openssl(
            work.path(),
            &[
                "ts",
                "-query",
                "-data",
                "stamped",
                "-sha256",
                "-cert",
                "-out",
                "query.tsq",
            ],
        );
        openssl(
            work.path(),
            &[
                "ts",
                "-reply",
                "-config",
                "../tsa.cnf",
                "-section",
                "tsa",
                "-queryfile",
                "query.tsq",
                "-token_out",
                "-out",
                "token.der",
            ],
        );
        fs::read(work.path().join("token.der")).unwrap()
    }
}

impl Holder {
    /// Converts it to a credential for issuing.
    pub(crate) fn credential(&self) -> Credential {
        let certificate = self.certificate.to_der().unwrap();
        Credential::new(Key::from(self.key.clone()), &certificate).unwrap()
    }

    /// Signs the digest of `bytes`, like a device.
    pub(crate) fn sign(&self, algorithm: SignatureAlgorithm, bytes: &[u8]) -> Vec<u8> {
        let digest = message_digest(algorithm.digest());
        let mut signing = Signing::new(digest, &self.key).unwrap();
        if let SignatureAlgorithm::RsaPss(_) = algorithm {
            signing.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
            signing.set_rsa_mgf1_md(digest).unwrap();
            signing
                .set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)
                .unwrap();
        }
        signing.sign_oneshot_to_vec(bytes).unwrap()
    }
}

/// Generates an EC key on a named curve.
pub(crate) fn ec_key(curve: Nid) -> PKey<Private> {
    let group = EcGroup::from_curve_name(curve).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

/// Generates an RSA key.
pub(crate) fn rsa_key(bits: u32) -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap()
}

/// Runs `openssl`, which must succeed, and returns its standard error.
pub(crate) fn openssl(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("openssl")
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "openssl {arguments:?}: {said}");
    said
}

const TSA_CONFIGURATION: &str = "\
[tsa]
serial = serial
signer_cert = ../tsa.pem
signer_key = ../tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
ess_cert_id_alg = sha256
";

/// Purpose of a certificate.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// Issues certificates.
    Authority,
    /// Answers for its issuer, with or without `id-pkix-ocsp-nocheck`.
    Responder {
        /// Exempt from revocation checks.
        is_exempt: bool,
    },
    /// Signs documents.
    Signer,
    /// Stamps times.
    TimestampAuthority,
}

/// Maps a digest algorithm to OpenSSL's.
pub(crate) fn message_digest(algorithm: DigestAlgorithm) -> MessageDigest {
    match algorithm {
        DigestAlgorithm::Sha1 => MessageDigest::sha1(),
        DigestAlgorithm::Sha224 => MessageDigest::sha224(),
        DigestAlgorithm::Sha256 => MessageDigest::sha256(),
        DigestAlgorithm::Sha384 => MessageDigest::sha384(),
        DigestAlgorithm::Sha3_224 => MessageDigest::sha3_224(),
        DigestAlgorithm::Sha3_256 => MessageDigest::sha3_256(),
        DigestAlgorithm::Sha3_384 => MessageDigest::sha3_384(),
        DigestAlgorithm::Sha3_512 => MessageDigest::sha3_512(),
        DigestAlgorithm::Shake256 => MessageDigest::shake_256(),
        DigestAlgorithm::Sha512 => MessageDigest::sha512(),
    }
}

/// Terms of a certificate.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// Start and end in seconds since the Unix epoch.
    pub(crate) validity: (i64, i64),
    /// Maximum number of authorities below it.
    pub(crate) path_length: Option<u8>,
}

impl Terms {
    /// Returns a validity of ten years, without limits.
    pub(crate) fn usual() -> Self {
        const SECONDS: i64 = 10 * 365 * 24 * 60 * 60;
        const BEGIN: i64 = 1_700_000_000;

        Self {
            validity: (BEGIN, BEGIN + SECONDS),
            path_length: None,
        }
    }
}

/// Issues a certificate below an issuer, or a root.
pub(crate) fn issue(
    common_name: &str,
    key: PKey<Private>,
    issuer: Option<&Holder>,
    role: Role,
) -> Holder {
    issue_on(Terms::usual(), common_name, key, issuer, role)
}

/// Like `issue`, with other terms.
pub(crate) fn issue_on(
    terms: Terms,
    common_name: &str,
    key: PKey<Private>,
    issuer: Option<&Holder>,
    role: Role,
) -> Holder {
    let key = Key::from(key);
    let public_key = key.public_key().unwrap();
    let mut extensions = match role {
        Role::Authority => vec![
            Extension::authority(terms.path_length),
            Extension::key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign),
        ],
        Role::Responder { is_exempt } => {
            let exemption = is_exempt.then(Extension::ocsp_no_check);
            let purpose = Extension::purposes(&[ID_KP_OCSP_SIGNING]);
            [purpose].into_iter().chain(exemption).collect()
        }
        Role::Signer => vec![Extension::key_usage(KeyUsages::NonRepudiation)],
        Role::TimestampAuthority => vec![
            Extension::key_usage(KeyUsages::DigitalSignature),
            Extension::only_purpose(ID_KP_TIME_STAMPING),
        ],
    };
    if issuer.is_some() {
        // Some validators use responses only if a responder is named.
        extensions.push(Extension::access("http://ocsp.example.com/", None));
    }
    extensions.push(Extension::subject_key(&public_key).unwrap());
    let (from, until) = terms.validity;
    let mut serial = [0; 16];
    openssl::rand::rand_bytes(&mut serial).unwrap();
    let profile = Profile {
        subject: name(&[(COUNTRY_NAME, "LT"), (COMMON_NAME, common_name)]),
        serial: serial_number(&serial),
        validity: [from, until].map(|seconds| Time::from_unix(seconds).unwrap()),
        extensions,
    };
    let issued = match issuer {
        Some(issuer) => issuer.credential().issue(&profile, key),
        None => Credential::self_signed(&profile, key),
    };
    let issued = issued.unwrap();
    Holder {
        certificate: issued.x509(),
        key: issued.key.pkey().clone(),
    }
}
