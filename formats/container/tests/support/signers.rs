//! Signers of containers, and files for other validators.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_fixtures::tool::samples;
use parafa_format_core::{
    Answer, ChangeKind, ComposeRequest, DigestAlgorithm, LaterChanges, MemoryBlob, MemorySink,
    NativeEnvironment, NeedKind, Outcome, Refusal, SignRequest, SignatureAlgorithm,
    SignatureEvidence, SourceFile, Step, carry_out,
};
use tempfile::TempDir;

use crate::pki::{Holder, Pki, ec_key, rsa_key};

/// 2026-01-02T03:04:06Z.
pub(crate) const TIME: i64 = 1_767_323_046;

pub(crate) static PKI: LazyLock<Pki> = LazyLock::new(Pki::new);

/// A person with a key.
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

    /// Answers the needs of a signature until there is a document.
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

/// Containers written to files, for other programs.
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

/// Returns all signers and the time-stamping unit as anchors: their
/// certificates have no revocation data.
pub(crate) fn anchors(folder: &Path) -> Vec<PathBuf> {
    let signers = [&*P256, &P384, &RSA].into_iter().enumerate();
    let files = signers.map(|(number, signer)| {
        let file = folder.join(format!("{number}.pem"));
        fs::write(&file, signer.holder.certificate.to_pem().unwrap()).unwrap();
        file
    });
    files.chain([PKI.folder().join("tsa.pem")]).collect()
}

/// Returns sequences of signers of one container, alone and together.
pub(crate) fn ceremonies() -> Vec<Vec<&'static Signer>> {
    let all: [&Signer; 3] = [&RSA, &P256, &P384];
    let alone = all.iter().map(|signer| vec![*signer]);
    alone.chain([vec![all[1], all[2]], all.to_vec()]).collect()
}

/// Returns a container of files, given by name, media type and bytes.
pub(crate) fn composed_by<M>(
    compose: impl FnOnce(
        &NativeEnvironment,
        &[SourceFile<'_, MemoryBlob>],
        &ComposeRequest,
        &mut MemorySink,
    ) -> Result<M, Refusal>,
    files: &[(impl AsRef<str>, &str, impl AsRef<[u8]>)],
    media_type: &str,
    params: &[(&str, &str)],
) -> Result<Vec<u8>, Refusal> {
    let contents = files.iter();
    let contents = contents.map(|(_, _, bytes)| MemoryBlob(bytes.as_ref().to_vec()));
    let contents: Vec<_> = contents.collect();
    let sources = files.iter().zip(&contents);
    let sources = sources.map(|((name, media_type, _), content)| SourceFile {
        name: name.as_ref(),
        media_type,
        content,
    });
    let params = params.iter();
    let request = ComposeRequest {
        time: TIME,
        seed: vec![7; 32],
        media_type: media_type.to_owned(),
        params: params
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    };
    let mut sink = MemorySink::default();
    compose(
        &NativeEnvironment,
        &sources.collect::<Vec<_>>(),
        &request,
        &mut sink,
    )?;
    Ok(sink.0)
}

/// Calls back for each row of a sample table, with its file in a folder.
pub(crate) fn each_row(table: &str, folder: &str, mut judge: impl FnMut(&[&str], &Path)) {
    let Some(samples) = samples() else {
        return;
    };
    let list = fs::read_to_string(samples.join(table)).unwrap();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        judge(&columns, &samples.join(folder).join(columns[0]));
    }
}

/// Asserts that signatures are unchanged, except for permitted later additions.
pub(crate) fn assert_as_they_were(mut was: Vec<SignatureEvidence>, mut is: Vec<SignatureEvidence>) {
    for signature in was.iter_mut().chain(&mut is) {
        signature.later_changes = LaterChanges::permitted(ChangeKind::Unknown);
        signature.certificates.clear();
        signature.revocation.clear();
        signature.signer_certificate = None;
    }
    assert_eq!(was, is);
}
