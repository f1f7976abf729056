//! Plays the host: a key signs, an authority stamps, issuers answer, and the
//! call is repeated.

use std::sync::LazyLock;

use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::x509::X509;
use parafa_format_core::{
    Answer, ArchiveRequest, Archived, DigestAlgorithm, Evidence, MemoryBlob, MemorySink,
    NativeEnvironment, Need, NeedKind, Outcome, Payload, Refusal, SignRequest, SignatureAlgorithm,
    SignatureEvidence, Step, carry_out,
};
use parafa_format_jades::{archive, sign, verify};
use serde_json::Value;

use crate::answering::{issuer_of, sound};
use crate::pki::{Holder, Pki, Role, ec_key, issue, rsa_key};

/// A register's answer, with spaces that must stay.
pub(crate) const ANSWER: &[u8] =
    "{\"entity\": {\"code\": \"999000009\", \"name\": \"UAB Ąžuolas\"},\n  \"amount\": 1.0}\n"
        .as_bytes();
pub(crate) const TIME: i64 = 1_795_242_275;

/// A root, below it the time-stamping unit and an authority, and below that the
/// signers.
pub(crate) struct World {
    pub(crate) pki: Pki,
    pub(crate) authority: Holder,
    pub(crate) rsa: Organisation,
    pub(crate) p256: Organisation,
    pub(crate) p384: Organisation,
}

pub(crate) static WORLD: LazyLock<World> = LazyLock::new(|| {
    let pki = Pki::new();
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let authority = issue("Testing Issuing", key(), Some(&pki.root), Role::Authority);
    let organisation = |name, key: PKey<Private>, algorithm| Organisation {
        holder: issue(name, key, Some(&authority), Role::Signer),
        algorithm,
    };
    use DigestAlgorithm::{Sha256, Sha384};
    use SignatureAlgorithm::{Ecdsa, RsaPkcs1};
    World {
        rsa: organisation("Attorney RSA", rsa_key(2048), RsaPkcs1(Sha256)),
        p256: organisation("Attorney P-256", key(), Ecdsa(Sha256)),
        p384: organisation("Attorney P-384", ec_key(Nid::SECP384R1), Ecdsa(Sha384)),
        authority,
        pki,
    }
});

/// A signer with its own key.
pub(crate) struct Organisation {
    pub(crate) holder: Holder,
    pub(crate) algorithm: SignatureAlgorithm,
}

impl Organisation {
    /// Returns a request with the whole chain, including the root.
    pub(crate) fn request(&self, target_level: &str) -> SignRequest {
        let chain = [&self.holder, &WORLD.authority, &WORLD.pki.root];
        let chain = chain.map(|holder| holder.certificate.to_der().unwrap());
        SignRequest {
            time: TIME,
            seed: vec![7; 32],
            target_level: target_level.to_owned(),
            signer_chain: chain.to_vec(),
            signature_algorithm: self.algorithm,
            reserve: 24_576,
            covers: vec!["payload".to_owned()],
            params: Vec::new(),
        }
    }

    pub(crate) fn signs(&self, payload: &[u8], target_level: &str) -> Vec<u8> {
        let (signed, _) = self
            .carries_out(payload, &self.request(target_level))
            .unwrap();
        signed
    }

    pub(crate) fn carries_out(
        &self,
        payload: &[u8],
        request: &SignRequest,
    ) -> Result<(Vec<u8>, Outcome), Refusal> {
        let payload = MemoryBlob(payload.to_vec());
        carry_out(
            3,
            |answers, out| sign(&NativeEnvironment, &payload, request, answers, out),
            |need| self.answer(need),
        )
    }

    /// Answers a need as the key or the authority.
    pub(crate) fn answer(&self, need: &Need) -> Answer {
        let bytes = match (need.kind, &need.payload) {
            (NeedKind::Signature, Payload::Bytes(bytes)) => self.holder.sign(self.algorithm, bytes),
            (NeedKind::Signature, Payload::Digest(digest)) => {
                assert_eq!(Some(digest.algorithm), need.digest_algorithm);
                self.sign_digest(&digest.value)
            }
            (NeedKind::Timestamp, Payload::Bytes(bytes)) => WORLD.pki.timestamp(bytes),
            other => panic!("{other:?} is not needed"),
        };
        need.answer(Ok(bytes))
    }

    /// Signs a digest, like a token that never sees the data.
    fn sign_digest(&self, digest: &[u8]) -> Vec<u8> {
        let mut context = openssl::pkey_ctx::PkeyCtx::new(&self.holder.key).unwrap();
        context.sign_init().unwrap();
        if self.holder.key.rsa().is_ok() {
            let padding = openssl::rsa::Padding::PKCS1;
            context.set_rsa_padding(padding).unwrap();
        }
        let digested = openssl::md::Md::sha256();
        context.set_signature_md(digested).unwrap();
        let mut value = Vec::new();
        context.sign_to_vec(digest, &mut value).unwrap();
        value
    }
}

impl World {
    pub(crate) fn issuer_of(&self, certificate: &X509) -> &Holder {
        issuer_of([&self.pki.root, &self.authority], certificate)
    }

    pub(crate) fn answer(&self, need: &Need) -> Answer {
        sound(need, [&self.pki.root, &self.authority], |issuer| issuer)
    }
}

/// Makes one call of `sign`; returns the step and its output.
pub(crate) fn step(
    payload: &[u8],
    request: &SignRequest,
    answers: &[Answer],
) -> Result<(Step, Vec<u8>), Refusal> {
    let mut out = MemorySink::default();
    let payload = MemoryBlob(payload.to_vec());
    let step = sign(&NativeEnvironment, &payload, request, answers, &mut out)?;
    Ok((step, out.0))
}

/// Makes all calls of `archive`, answering needs with `answer`.
pub(crate) fn archived_with(
    document: &[u8],
    answer: impl FnMut(&Need) -> Answer,
) -> Result<(Vec<u8>, Archived), Refusal> {
    let document = MemoryBlob(document.to_vec());
    let request = ArchiveRequest {
        time: TIME + 60,
        seed: vec![9; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let call = |answers: &[Answer], out: &mut MemorySink| {
        archive(&NativeEnvironment, &document, &request, answers, out)
    };
    carry_out(6, call, answer)
}

/// Makes all calls of `archive` with sound answers.
pub(crate) fn archived(document: &[u8]) -> Vec<u8> {
    let (archived, outcome) = archived_with(document, |need| WORLD.answer(need)).unwrap();
    assert!(outcome.changed);
    assert_eq!(outcome.level, "JAdES-B-LT");
    archived
}

pub(crate) fn evidence(document: &[u8]) -> Result<Evidence, Refusal> {
    verify(&NativeEnvironment, &MemoryBlob(document.to_vec()))
}

/// Returns evidence about the only signature of a document.
pub(crate) fn verified(document: &[u8]) -> SignatureEvidence {
    let evidence = evidence(document).unwrap();
    let [signature] = evidence.signatures.try_into().unwrap();
    signature
}

/// Parses a document, to inspect or modify it.
pub(crate) fn json(document: &[u8]) -> Value {
    serde_json::from_slice(document).unwrap()
}
