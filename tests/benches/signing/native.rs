//! Format functions, called in this process without a host.

use parafa_format_core::{
    Answer, DigestAlgorithm, Evidence, MemoryBlob, MemorySink, NativeEnvironment, Refusal, Report,
    SignRequest, SignatureAlgorithm, Step,
};

use crate::pki::Pki;
use crate::{RESERVE, SIGNING_TIME};

/// Functions of a format.
pub(crate) struct Format {
    pub(crate) inspect: fn(&NativeEnvironment, &MemoryBlob) -> Result<Report, Refusal>,
    pub(crate) sign: Sign,
    pub(crate) verify: fn(&NativeEnvironment, &MemoryBlob) -> Result<Evidence, Refusal>,
}

type Sign = fn(
    &NativeEnvironment,
    &MemoryBlob,
    &SignRequest,
    &[Answer],
    &mut MemorySink,
) -> Result<Step, Refusal>;

/// A document, and everything that its signature needs.
pub(crate) struct Native {
    format: Format,
    document: MemoryBlob,
    request: SignRequest,
    answers: Vec<Answer>,
    signed: MemoryBlob,
}

impl Native {
    /// Signs these members of a document.
    pub(crate) fn new(format: Format, document: &[u8], covers: Vec<String>, pki: &Pki) -> Self {
        let mut native = Self {
            format,
            document: MemoryBlob(document.to_vec()),
            request: SignRequest {
                time: SIGNING_TIME,
                seed: vec![7; 32],
                target_level: "B-B".to_owned(),
                signer_chain: pki.chain(),
                signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
                reserve: RESERVE,
                covers,
                params: Vec::new(),
            },
            answers: Vec::new(),
            signed: MemoryBlob::default(),
        };
        let Step::Needs(needs) = native.prepare() else {
            panic!("a signature is needed first")
        };
        native.answers = needs
            .iter()
            .map(|need| need.answer(Ok(pki.sign(need.payload.as_bytes().unwrap()))))
            .collect();
        native.signed = MemoryBlob(native.embed().0);
        native
    }

    /// Returns the signed document.
    pub(crate) fn signed(&self) -> &[u8] {
        &self.signed.0
    }

    pub(crate) fn inspect(&self) -> impl Sized {
        (self.format.inspect)(&NativeEnvironment, &self.document).expect("a sound document")
    }

    pub(crate) fn prepare(&self) -> Step {
        self.sign(&[]).0
    }

    pub(crate) fn embed(&self) -> MemorySink {
        self.sign(&self.answers).1
    }

    pub(crate) fn verify(&self) -> impl Sized {
        (self.format.verify)(&NativeEnvironment, &self.signed).expect("a sound document")
    }

    fn sign(&self, answers: &[Answer]) -> (Step, MemorySink) {
        let mut sink = MemorySink::default();
        let step = (self.format.sign)(
            &NativeEnvironment,
            &self.document,
            &self.request,
            answers,
            &mut sink,
        );
        (step.expect("the document is signed"), sink)
    }
}
