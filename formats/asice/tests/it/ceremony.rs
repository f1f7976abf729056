//! People who sign containers.

use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_format_asice::{compose, inspect, sign};
use parafa_format_core::{
    Answer, ComposeRequest, DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment, NeedKind,
    Outcome, Refusal, Report, SignRequest, SignatureAlgorithm, SourceFile, Step,
};

use crate::pki::{Holder, Pki, ec_key, rsa_key};

/// 2026-01-02T03:04:06Z.
pub(crate) const TIME: i64 = 1_767_323_046;

pub(crate) const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

/// Names that need encoding, and one that looks encoded.
pub(crate) const FILES: [(&str, &str, &[u8]); 4] = [
    ("sutartis.pdf", "application/pdf", b"%PDF-1.7 not really"),
    ("priedas ąčęėįšųūž (1+1).txt", "text/plain", b"leaves"),
    ("priedai/a & b <c>.json", "application/json", b"{}"),
    ("100%41 €.bin", "application/octet-stream", b"\0\x01"),
];

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

    /// Signs all files of a container, as the host has it done.
    pub(crate) fn signs(
        &self,
        container: &[u8],
        level: &str,
    ) -> Result<(Vec<u8>, Outcome), Refusal> {
        let document = MemoryBlob(container.to_vec());
        let covers = files_of(container)?;
        let request = self.request(level, &covers);
        let mut answers = Vec::new();
        loop {
            let mut sink = MemorySink::default();
            let step = sign(&NativeEnvironment, &document, &request, &answers, &mut sink)?;
            let needs = match step {
                Step::Done(outcome) => return Ok((sink.0, outcome)),
                Step::Needs(needs) => needs,
            };
            assert!(sink.0.is_empty(), "nothing is written before it is done");
            for need in needs {
                assert_eq!(need.digest_algorithm, Some(self.algorithm.digest()));
                let payload = need.payload.as_bytes().unwrap();
                let bytes = match need.kind {
                    NeedKind::Signature => self.holder.sign(self.algorithm, payload),
                    NeedKind::Timestamp => PKI.timestamp(payload),
                    other => panic!("{other:?} is asked for"),
                };
                answers.push(Answer {
                    need_id: need.id,
                    outcome: Ok(bytes),
                });
            }
        }
    }
}

pub(crate) fn files_of(container: &[u8]) -> Result<Vec<String>, Refusal> {
    let document = MemoryBlob(container.to_vec());
    let members = parafa_format_asice::members(&NativeEnvironment, &document)?;
    Ok(members.into_iter().map(|member| member.id).collect())
}

pub(crate) fn inspected(container: &[u8]) -> Result<Report, Refusal> {
    inspect(&NativeEnvironment, &MemoryBlob(container.to_vec()))
}

/// A container of these files: name, media type and bytes.
pub(crate) fn composed(files: &[(&str, &str, &[u8])]) -> Result<Vec<u8>, Refusal> {
    let contents: Vec<_> = files
        .iter()
        .map(|(_, _, bytes)| MemoryBlob(bytes.to_vec()))
        .collect();
    let sources: Vec<_> = files
        .iter()
        .zip(&contents)
        .map(|((name, media_type, _), content)| SourceFile {
            name,
            media_type,
            content,
        })
        .collect();
    let request = ComposeRequest {
        time: TIME,
        seed: vec![7; 32],
        media_type: MEDIA_TYPE.to_owned(),
        params: Vec::new(),
    };
    let mut sink = MemorySink::default();
    compose(&NativeEnvironment, &sources, &request, &mut sink)?;
    Ok(sink.0)
}

/// [`FILES`], signed by these people one after the other.
pub(crate) fn signed_by(signers: &[&Signer], level: &str) -> Vec<u8> {
    let container = composed(&FILES).unwrap();
    signers.iter().fold(container, |container, signer| {
        signer.signs(&container, level).unwrap().0
    })
}
