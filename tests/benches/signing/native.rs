//! The format's own functions, in this process and without a host.

use parafa_format_core::{
    Answer, DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment, SignRequest,
    SignatureAlgorithm, Step,
};

use crate::pki::Pki;
use crate::{RESERVE, SIGNING_TIME};

/// A document, and everything that its signature needs.
pub(crate) struct Native {
    document: MemoryBlob,
    request: SignRequest,
    answers: Vec<Answer>,
    signed: MemoryBlob,
}

impl Native {
    pub(crate) fn new(document: &[u8], pki: &Pki) -> Self {
        let mut native = Self {
            document: MemoryBlob(document.to_vec()),
            request: SignRequest {
                time: SIGNING_TIME,
                seed: vec![7; 32],
                target_level: "B-B".to_owned(),
                signer_chain: pki.chain(),
                signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
                reserve: RESERVE,
                covers: Vec::new(),
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

    pub(crate) fn inspect(&self) -> impl Sized {
        parafa_format_pdf::inspect(&NativeEnvironment, &self.document).expect("a sound document")
    }

    pub(crate) fn prepare(&self) -> Step {
        self.sign(&[]).0
    }

    pub(crate) fn embed(&self) -> MemorySink {
        self.sign(&self.answers).1
    }

    pub(crate) fn verify(&self) -> impl Sized {
        parafa_format_pdf::verify(&NativeEnvironment, &self.signed).expect("a sound document")
    }

    fn sign(&self, answers: &[Answer]) -> (Step, MemorySink) {
        let mut sink = MemorySink::default();
        let step = parafa_format_pdf::sign(
            &NativeEnvironment,
            &self.document,
            &self.request,
            answers,
            &mut sink,
        );
        (step.expect("the document is signed"), sink)
    }
}
