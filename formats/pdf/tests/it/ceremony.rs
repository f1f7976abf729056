//! Plays the signing host: a device signs, an authority stamps, and the call is
//! repeated.

use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_format_core::{
    Answer, DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment, Need, NeedKind, Outcome,
    Refusal, SignRequest, SignatureAlgorithm, Step, carry_out,
};
use parafa_format_pdf::sign;

use crate::pki::{Holder, Pki, ec_key, rsa_key};

/// One infrastructure for all tests.
pub(crate) static PKI: LazyLock<Pki> = LazyLock::new(Pki::new);

/// People with every kind of key.
pub(crate) static RSA_2048: LazyLock<Person> = LazyLock::new(|| Person {
    holder: PKI.signer("Rasa Pirmoji", rsa_key(2048)),
    algorithm: SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256),
});
pub(crate) static RSA_3072_PSS: LazyLock<Person> = LazyLock::new(|| Person {
    holder: PKI.signer("Rasa Antroji", rsa_key(3072)),
    algorithm: SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha384),
});
pub(crate) static P256: LazyLock<Person> = LazyLock::new(|| Person {
    holder: PKI.signer("Elena Pirmoji", ec_key(Nid::X9_62_PRIME256V1)),
    algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
});
pub(crate) static P384: LazyLock<Person> = LazyLock::new(|| Person {
    holder: PKI.signer("Elena Antroji", ec_key(Nid::SECP384R1)),
    algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384),
});

/// A signer.
pub(crate) struct Person {
    /// Key and certificate.
    pub(crate) holder: Holder,
    /// Signature algorithm of the device.
    pub(crate) algorithm: SignatureAlgorithm,
}

impl Person {
    /// Returns a request for this person's signature at level B-T.
    pub(crate) fn request(&self) -> SignRequest {
        SignRequest {
            time: 1_795_242_275,
            seed: vec![7; 32],
            target_level: "B-T".to_owned(),
            signer_chain: PKI.chain(&self.holder),
            signature_algorithm: self.algorithm,
            reserve: 24_576,
            covers: Vec::new(),
            params: Vec::new(),
        }
    }

    /// Signs at level B-T, with all calls.
    pub(crate) fn signs(&self, document: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.carries_out(document, &self.request())
            .map(|(signed, _)| signed)
    }

    /// Makes all calls for a request.
    pub(crate) fn carries_out(
        &self,
        document: &[u8],
        request: &SignRequest,
    ) -> Result<(Vec<u8>, Outcome), Refusal> {
        let document = MemoryBlob(document.to_vec());
        carry_out(
            3,
            |answers, out| sign(&NativeEnvironment, &document, request, answers, out),
            |need| self.answers(need),
        )
    }

    /// Answers a need as the device or the authority.
    pub(crate) fn answers(&self, need: &Need) -> Answer {
        let bytes = match need.kind {
            NeedKind::Signature => self
                .holder
                .sign(self.algorithm, need.payload.as_bytes().unwrap()),
            NeedKind::Timestamp => PKI.timestamp(need.payload.as_bytes().unwrap()),
            other => panic!("{other:?} is not needed"),
        };
        need.answer(Ok(bytes))
    }
}

/// Makes one call; returns the step and its output.
pub(crate) fn step(
    document: &[u8],
    request: &SignRequest,
    answers: &[Answer],
) -> Result<(Step, Vec<u8>), Refusal> {
    let mut out = MemorySink::default();
    let step = sign(
        &NativeEnvironment,
        &MemoryBlob(document.to_vec()),
        request,
        answers,
        &mut out,
    )?;
    Ok((step, out.0))
}
