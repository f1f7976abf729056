//! The format's own functions, in this process and without a host.

use parafa_format_asice::{inspect, members, sign, verify};
use parafa_format_core::{
    Answer, DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment, SignRequest,
    SignatureAlgorithm, Step,
};

use crate::pki::Pki;
use crate::{RESERVE, SIGNING_TIME};

/// A container, and everything that its signature needs.
pub(crate) struct Native {
    document: MemoryBlob,
    request: SignRequest,
    answers: Vec<Answer>,
    signed: MemoryBlob,
}

impl Native {
    pub(crate) fn new(document: &[u8], pki: &Pki) -> Self {
        let document = MemoryBlob(document.to_vec());
        let files = members(&NativeEnvironment, &document).expect("a sound container");
        let mut native = Self {
            document,
            request: SignRequest {
                time: SIGNING_TIME,
                seed: vec![7; 32],
                target_level: "B-B".to_owned(),
                signer_chain: pki.chain(),
                signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
                reserve: RESERVE,
                covers: files.into_iter().map(|file| file.id).collect(),
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
            .map(|need| {
                need.answer(Ok(
                    pki.sign(need.payload.as_bytes().expect("bytes to be signed"))
                ))
            })
            .collect();
        native.signed = MemoryBlob(native.embed().0);
        native
    }

    /// The container with its signature.
    pub(crate) fn signed(&self) -> &[u8] {
        &self.signed.0
    }

    pub(crate) fn inspect(&self) -> impl Sized {
        inspect(&NativeEnvironment, &self.document).expect("a sound container")
    }

    pub(crate) fn prepare(&self) -> Step {
        self.sign(&[]).0
    }

    pub(crate) fn embed(&self) -> MemorySink {
        self.sign(&self.answers).1
    }

    pub(crate) fn verify(&self) -> impl Sized {
        verify(&NativeEnvironment, &self.signed).expect("a sound container")
    }

    fn sign(&self, answers: &[Answer]) -> (Step, MemorySink) {
        let mut sink = MemorySink::default();
        let step = sign(
            &NativeEnvironment,
            &self.document,
            &self.request,
            answers,
            &mut sink,
        );
        (step.expect("the container is signed"), sink)
    }
}
