//! Signing through the plugin, as the server calls it.

use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{
    Answer, DigestAlgorithm, Document, MemoryMeter, Plugin, SignRequest, SignStep,
    SignatureAlgorithm, TargetLevel,
};
use tokio::runtime::Runtime;

use crate::pki::Pki;
use crate::{RESERVE, SIGNING_TIME};

/// A document, and everything that its signature needs.
pub(crate) struct Component<'a> {
    runtime: &'a Runtime,
    plugin: Arc<Plugin>,
    /// Unsigned document, hashed already.
    document: Document,
    request: SignRequest,
    answers: Vec<Answer>,
    /// Signed document, hashed already as far as it is the unsigned one.
    signed: Document,
}

/// State of the document's digest before the call.
#[derive(Clone, Copy)]
pub(crate) enum Digest {
    /// Unknown: it is the first call.
    Cold,
    /// Computed by an earlier call of the same signature.
    Known,
}

impl<'a> Component<'a> {
    pub(crate) fn new(
        runtime: &'a Runtime,
        plugin: &Arc<Plugin>,
        document: &[u8],
        pki: &Pki,
    ) -> Self {
        let document = Document::from(Bytes::copy_from_slice(document));
        let mut component = Self {
            runtime,
            plugin: Arc::clone(plugin),
            signed: document.clone(),
            document,
            request: SignRequest {
                time: SIGNING_TIME,
                seed: [7; 32],
                target_level: TargetLevel::BB,
                signer_chain: pki.chain(),
                signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
                reserve: RESERVE,
                params: Vec::new(),
            },
            answers: Vec::new(),
        };
        let SignStep::Needs(needs) = component.prepare(Digest::Known) else {
            panic!("a signature is needed first")
        };
        component.answers = needs
            .into_iter()
            .map(|need| Answer {
                outcome: Ok(pki.sign(need.payload.as_bytes().unwrap())),
                need,
            })
            .collect();
        let SignStep::Done { document, .. } = component.embed(Digest::Known) else {
            panic!("nothing else is needed")
        };
        component.signed = document;
        component
    }

    /// Returns a copy that reports its calls' memory to `meter`.
    pub(crate) fn metered(&self, meter: &MemoryMeter) -> Self {
        Self {
            runtime: self.runtime,
            plugin: Arc::new(self.plugin.metered(meter)),
            document: self.document.clone(),
            request: self.request.clone(),
            answers: self.answers.clone(),
            signed: self.signed.clone(),
        }
    }

    pub(crate) fn inspect(&self) -> impl Sized {
        self.runtime
            .block_on(self.plugin.inspect(self.document.clone()))
            .expect("a sound document")
    }

    pub(crate) fn prepare(&self, digest: Digest) -> SignStep {
        self.sign(&[], digest)
    }

    pub(crate) fn embed(&self, digest: Digest) -> SignStep {
        self.sign(&self.answers, digest)
    }

    pub(crate) fn verify(&self, digest: Digest) -> impl Sized {
        self.runtime
            .block_on(self.plugin.verify(digest.of(&self.signed)))
            .expect("a sound document")
    }

    /// Makes `calls` first calls of `sign` concurrently.
    pub(crate) fn prepare_at_once(&self, calls: usize) {
        self.runtime.block_on(async {
            let calls: Vec<_> = (0..calls)
                .map(|_| {
                    let (plugin, request) = (Arc::clone(&self.plugin), self.request.clone());
                    let document = Digest::Cold.of(&self.document);
                    tokio::spawn(async move { plugin.sign(document, &request, &[]).await })
                })
                .collect();
            for call in calls {
                call.await.expect("no panic").expect("a sound document");
            }
        });
    }

    fn sign(&self, answers: &[Answer], digest: Digest) -> SignStep {
        let document = digest.of(&self.document);
        self.runtime
            .block_on(self.plugin.sign(document, &self.request, answers))
            .expect("the document is signed")
    }
}

impl Digest {
    fn of(self, document: &Document) -> Document {
        match self {
            Self::Cold => document.bytes().clone().into(),
            Self::Known => document.clone(),
        }
    }
}
