//! People who sign containers, and files for those who judge them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_format_core::{
    Answer, DigestAlgorithm, MemorySink, NeedKind, Outcome, Refusal, SignRequest,
    SignatureAlgorithm, Step, carry_out,
};
use tempfile::TempDir;

use crate::pki::{Holder, Pki, ec_key, rsa_key};

/// 2026-01-02T03:04:06Z.
pub(crate) const TIME: i64 = 1_767_323_046;

pub(crate) static PKI: LazyLock<Pki> = LazyLock::new(Pki::new);

/// Somebody with a key.
pub(crate) struct Signer {
    pub(crate) algorithm: SignatureAlgorithm,
    pub(crate) holder: Holder,
    seed: u8,
}

pub(crate) static P256: LazyLock<Signer> = LazyLock::new(|| {
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    Signer::new("Ona P-256", algorithm, ec_key(Nid::X9_62_PRIME256V1), 1)
});
pub(crate) static P384: LazyLock<Signer> = LazyLock::new(|| {
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384);
    Signer::new("Jonas P-384", algorithm, ec_key(Nid::SECP384R1), 2)
});
pub(crate) static RSA: LazyLock<Signer> = LazyLock::new(|| {
    let algorithm = SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256);
    Signer::new("Rūta RSA", algorithm, rsa_key(2048), 3)
});

impl Signer {
    fn new(
        name: &str,
        algorithm: SignatureAlgorithm,
        key: openssl::pkey::PKey<openssl::pkey::Private>,
        seed: u8,
    ) -> Self {
        Self {
            algorithm,
            holder: PKI.signer(name, key),
            seed,
        }
    }

    pub(crate) fn request(&self, level: &str, covers: &[String]) -> SignRequest {
        SignRequest {
            time: TIME,
            seed: vec![self.seed; 32],
            target_level: level.to_owned(),
            signer_chain: PKI.chain(&self.holder),
            signature_algorithm: self.algorithm,
            reserve: 16 * 1024,
            covers: covers.to_vec(),
            params: Vec::new(),
        }
    }

    /// Answers what a format needs for a signature, until there is a document.
    pub(crate) fn answers(
        &self,
        sign: impl FnMut(&[Answer], &mut MemorySink) -> Result<Step, Refusal>,
    ) -> Result<(Vec<u8>, Outcome), Refusal> {
        carry_out(3, sign, |need| {
            assert_eq!(need.digest_algorithm, Some(self.algorithm.digest()));
            let payload = need.payload.as_bytes().unwrap();
            need.answer(Ok(match need.kind {
                NeedKind::Signature => self.holder.sign(self.algorithm, payload),
                NeedKind::Timestamp => PKI.timestamp(payload),
                other => panic!("{other:?} is asked for"),
            }))
        })
    }
}

/// Containers in files, for programs.
pub(crate) struct Written {
    folder: TempDir,
    pub(crate) files: Vec<PathBuf>,
}

impl Written {
    pub(crate) fn new(containers: &[Vec<u8>], extension: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = containers.iter().enumerate().map(|(number, container)| {
            let file = folder.path().join(format!("{number}.{extension}"));
            fs::write(&file, container).unwrap();
            file
        });
        let files = files.collect();
        Self { folder, files }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Everybody who signs or stamps here, as anchors: nobody answers for their
/// certificates.
pub(crate) fn anchors(folder: &Path) -> Vec<PathBuf> {
    let signers = [&*P256, &P384, &RSA].into_iter().enumerate();
    let files = signers.map(|(number, signer)| {
        let file = folder.join(format!("{number}.pem"));
        fs::write(&file, signer.holder.certificate.to_pem().unwrap()).unwrap();
        file
    });
    files.chain([PKI.folder().join("tsa.pem")]).collect()
}
