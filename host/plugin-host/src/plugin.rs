use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::contract::CONTRACT;
use crate::convert::About;
use crate::guest::Guest;
use crate::signing::{Answerer, Progress, drive};
use crate::{
    Answer, CallError, Capability, ContractBreach, Document, MemoryMeter, PluginDigest,
    Preservation, Report, SignRequest, SignStep, SignatureEvidence,
};

const SIGN: &str = "sign";

/// An admitted plugin. Every call of it runs in a fresh instance.
pub struct Plugin {
    about: About,
    capabilities: BTreeSet<Capability>,
    guest: Arc<Guest>,
}

impl Plugin {
    pub(crate) fn new(
        guest: Guest,
        about: About,
        capabilities: BTreeSet<Capability>,
    ) -> Result<Self, ContractBreach> {
        if capabilities.contains(&Capability::Sign) && !about.preservation.contains_key(SIGN) {
            return Err(ContractBreach::Missing("what signing preserves"));
        }
        Ok(Self {
            guest: Arc::new(guest.named(&about.id)),
            about,
            capabilities,
        })
    }

    /// The same plugin, whose calls tell `meter` how much memory they take.
    #[must_use]
    pub fn metered(&self, meter: &MemoryMeter) -> Self {
        Self {
            about: self.about.clone(),
            capabilities: self.capabilities.clone(),
            guest: Arc::new(self.guest.metered(meter)),
        }
    }

    /// The format's name, such as `pdf`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.about.id
    }

    /// The plugin's own version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.about.version
    }

    /// SHA-256 of the component.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        self.guest.digest()
    }

    /// Version of the contract that it is called by, such as `0.1.0`.
    #[must_use]
    pub fn contract_version(&self) -> String {
        CONTRACT.version()
    }

    /// Media types that it takes.
    #[must_use]
    pub fn media_types(&self) -> &[String] {
        &self.about.media_types
    }

    /// Lower-case file name extensions that it takes, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.about.extensions
    }

    /// What it can do.
    #[must_use]
    pub fn capabilities(&self) -> &BTreeSet<Capability> {
        &self.capabilities
    }

    /// How an operation, such as `sign`, keeps the bytes of its input.
    #[must_use]
    pub fn preservation(&self, operation: &str) -> Option<Preservation> {
        self.about.preservation.get(operation).copied()
    }

    /// What a document is, and whether it may be signed.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn inspect(&self, document: impl Into<Document>) -> Result<Report, CallError> {
        self.guest.inspect(document.into()).await
    }

    /// Evidence about every signature of a document.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn verify(
        &self,
        document: impl Into<Document>,
    ) -> Result<Vec<SignatureEvidence>, CallError> {
        self.guest.verify(document.into()).await
    }

    /// One step of signing, with the answers so far. An output is checked to
    /// keep its input as declared; [`Plugin::drive_sign`] checks the rest.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault.
    pub async fn sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: &[Answer],
    ) -> Result<SignStep, CallError> {
        // A plugin without `sign` has no preservation, and is called only to
        // be told so.
        let preservation = self.preservation(SIGN).unwrap_or(Preservation::Whole);
        self.guest
            .sign(document.into(), request, answers, preservation)
            .await
    }

    /// Signs as far as the answers go: asks `answerer` for whatever the plugin
    /// needs until there is a signed document or nothing more can be answered
    /// now. To go on later, call it again with the same document and request
    /// and the answers of the [`crate::Suspension`], with new ones added.
    ///
    /// A document comes out only if there is exactly one new signature, which
    /// signs what was asked to be signed, with the value that was answered,
    /// under the request's certificate, and if every earlier signature is as
    /// it was.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault, which
    /// includes everything above that does not hold.
    pub async fn drive_sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: Vec<Answer>,
        answerer: &dyn Answerer,
    ) -> Result<Progress, CallError> {
        drive(self, document.into(), request, answers, answerer).await
    }

    pub(crate) fn max_rounds(&self) -> u32 {
        self.guest.limits().sign_rounds
    }

    pub(crate) fn broken(&self, breach: ContractBreach) -> CallError {
        self.guest.failed(SIGN, breach.into()).into()
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("about", &self.about)
            .field("digest", &self.digest())
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}
