use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use parafa_attorney::SigningKey;
use parafa_organisation_signature::{AnswerSigner, ContainerFile, SignatureLevel};
use parafa_trust::Certificate;

use crate::ports::{EvidenceSigner, EvidenceUnsigned};

/// The responsible attorney's signature.
pub struct AttorneySignature {
    signer: Arc<AnswerSigner>,
    signatory: String,
}

impl AttorneySignature {
    /// Signs with `signer`, whose key is `key`.
    #[must_use]
    pub fn new(signer: Arc<AnswerSigner>, key: &dyn SigningKey) -> Self {
        let own = key.chain().first().map(Vec::as_slice).unwrap_or_default();
        let certificate = Certificate::from_der(own).ok();
        let name = certificate.as_ref().and_then(|certificate| {
            let subject = certificate.subject();
            match (subject.given_name(), subject.surname()) {
                (Some(given), Some(surname)) => Some(format!("{given} {surname}")),
                _ => subject.common_name().map(str::to_owned),
            }
        });
        Self {
            signer,
            signatory: name.unwrap_or_default(),
        }
    }
}

#[async_trait]
impl EvidenceSigner for AttorneySignature {
    fn signatory(&self) -> &str {
        &self.signatory
    }

    async fn jades(&self, payload: Bytes) -> Result<Bytes, EvidenceUnsigned> {
        let signed = self.signer.jades(payload, SignatureLevel::Lt).await;
        signed.map_err(|_| EvidenceUnsigned)
    }

    async fn asice(&self, files: Vec<ContainerFile>) -> Result<Bytes, EvidenceUnsigned> {
        self.signer.asice(files).await.map_err(|_| EvidenceUnsigned)
    }
}
