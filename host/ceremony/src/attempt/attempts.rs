//! What attempts are carried out with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;
use parafa_domain::SigningMethod;
use parafa_eid::EidProvider;
use parafa_platform::Records;
use parafa_plugin_host::{Document, KnownDocuments, PluginSource, Registry};
use parafa_store::Clock;
use parafa_store::keys::DataKey;
use parafa_trust::{SignerCheck, TimestampClient};
use uuid::Uuid;

use super::turns::DocumentTurns;
use crate::changes::Changes;
use crate::document::document;
use crate::error::CeremonyError;
use crate::links::Links;
use crate::owner::Owners;
use crate::prompts::PromptLimits;

/// Carries attempts of signers out, step by step.
pub(crate) struct Attempts {
    /// The rows and what they name.
    pub(crate) records: Records,
    /// Whom ceremonies are held for.
    pub(crate) owners: Owners,
    /// Makes signers' links.
    pub(crate) links: Links,
    /// How often persons are asked.
    pub(crate) prompts: PromptLimits,
    /// The plugins that can be called.
    pub(crate) plugins: Arc<Registry>,
    /// Finds those that began an attempt on another host, or long ago.
    pub(crate) plugin_source: Arc<dyn PluginSource>,
    /// Spares hashing a document again when it is read for the next step.
    pub(crate) known_documents: Arc<KnownDocuments>,
    /// Documents that are in memory at one time for attempts.
    pub(crate) document_turns: DocumentTurns,
    /// Checks certificates of signers.
    pub(crate) signer_check: SignerCheck,
    /// Gets time-stamps.
    pub(crate) timestamps: TimestampClient,
    /// The providers that are set up, by the method that they serve.
    pub(crate) providers: Providers,
    /// Whether identity cards are accepted.
    pub(crate) cards: bool,
    /// This host's clock, by which certificates and time-stamps are valid. What
    /// records say is compared with the store's time, which is one for all hosts.
    pub(crate) clock: Arc<dyn Clock>,
    /// How long a signature that a device has made is worth finishing.
    pub(crate) finish_within: SignedDuration,
    /// Tells those who wait for a ceremony.
    pub(crate) changes: Changes,
}

/// The clients of providers, by the method that they serve.
pub type Providers = BTreeMap<SigningMethod, Arc<dyn EidProvider>>;

impl Attempts {
    /// Methods that can be used here, whoever the signer is.
    pub(crate) fn methods_set_up(&self) -> BTreeSet<SigningMethod> {
        let cards = self.cards.then_some(SigningMethod::Nfc);
        self.providers.keys().copied().chain(cards).collect()
    }

    /// A document for plugins.
    pub(super) async fn document(
        &self,
        key: &DataKey,
        bytes: Uuid,
    ) -> Result<Document, CeremonyError> {
        document(&self.records, &self.known_documents, key, bytes).await
    }
}
