//! A ceremony whose device and time-stamping authority always give the same,
//! and an environment that believes in any signature.

use std::sync::LazyLock;

use parafa_format_core::{
    Answer, DigestAlgorithm, Environment, HashFunction, MemoryBlob, MemorySink, NativeEnvironment,
    NativeHasher, Need, NeedKind, Part, Refusal, SignRequest, SignatureAlgorithm, Step,
};

use crate::authority::{WORLD, timestamp_info};

/// Signature value of the device.
const VALUE: &[u8] = b"the signature value";

/// Level of a new signature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    Basic,
    Timestamped,
}

impl Level {
    fn target(self) -> &'static str {
        match self {
            Self::Basic => "B-B",
            Self::Timestamped => "B-T",
        }
    }

    /// Returns the name of the level in `verify`.
    pub(super) fn reached(self) -> &'static str {
        match self {
            Self::Basic => "PAdES-B-B",
            Self::Timestamped => "PAdES-B-T",
        }
    }
}

/// Computes digests and takes every signature value for a sound one.
pub(crate) struct TrustingEnvironment;

impl Environment for TrustingEnvironment {
    type Blob = MemoryBlob;
    type Hasher = NativeHasher;

    fn hasher(&self, function: HashFunction) -> NativeHasher {
        NativeEnvironment.hasher(function)
    }

    fn inflate(
        &self,
        source: &MemoryBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<MemoryBlob, String> {
        NativeEnvironment.inflate(source, offset, len, most)
    }

    fn verify(&self, _: &[u8], _: SignatureAlgorithm, _: &[u8], _: &[u8]) -> Result<bool, String> {
        Ok(true)
    }
}

/// The whole ceremony over one document.
pub(super) fn sign(document: &[u8], level: Level) -> Result<Vec<u8>, Refusal> {
    let document = MemoryBlob(document.to_vec());
    let request = request(level);
    let mut answers = Vec::new();
    for _ in 0..3 {
        let mut out = MemorySink::default();
        let step = parafa_format_pdf::sign(
            &TrustingEnvironment,
            &document,
            &request,
            &answers,
            &mut out,
        )?;
        match step {
            Step::Done(_) => return Ok(out.0),
            Step::Needs(needs) => {
                assert!(out.0.is_empty(), "a step with needs has written something");
                answers.extend(needs.iter().map(answer));
            }
        }
    }
    panic!("three steps were not enough");
}

fn request(level: Level) -> SignRequest {
    let chain = [&WORLD.signer, &WORLD.issuer];
    SignRequest {
        time: 1_795_276_800,
        seed: vec![7; 32],
        target_level: level.target().to_owned(),
        signer_chain: chain.map(|holder| holder.certificate.clone()).to_vec(),
        signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        reserve: 4096,
        covers: Vec::new(),
        params: Vec::new(),
    }
}

fn answer(need: &Need) -> Answer {
    static TOKEN: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let digest = NativeEnvironment.digest(DigestAlgorithm::Sha256, &[Part::Bytes(VALUE)]);
        let imprint = digest.try_into().expect("SHA-256 has 32 bytes");
        WORLD.timestamp_token(&timestamp_info(&imprint, "20261121160000Z", &[0x65; 16]))
    });
    let bytes = match need.kind {
        NeedKind::Signature => VALUE,
        NeedKind::Timestamp => &TOKEN,
        other => panic!("{other:?} is not needed"),
    };
    need.answer(Ok(bytes.to_vec()))
}
