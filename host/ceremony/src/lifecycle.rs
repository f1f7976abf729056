use std::sync::Arc;

use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::KnownDocuments;
use tokio::sync::Notify;

use crate::ceremonies::EarlierSignaturesCache;
use crate::changes::Changes;
use crate::links::Links;
use crate::owner::Owners;
use crate::reader::SigningReader;

/// Opens, changes, ends and erases ceremonies.
pub struct Lifecycle {
    /// The rows and what they name.
    pub records: Records,
    /// Reads ceremonies.
    pub reader: SigningReader,
    /// Whom ceremonies are held for.
    pub owners: Owners,
    /// Forgets answers that tell of what is erased.
    pub idempotency: Idempotency,
    /// Makes signers' links.
    pub links: Links,
    /// Forgotten with the documents that are erased.
    pub known_documents: Arc<KnownDocuments>,
    /// The same.
    pub earlier_signatures_cache: Arc<EarlierSignaturesCache>,
    /// Tells those who wait for a ceremony.
    pub changes: Changes,
    /// Wakes the job runner.
    pub work: Arc<Notify>,
}

impl Lifecycle {
    /// Tells those who wait, and the job runner, that a ceremony has changed.
    pub fn announce(&self, ceremony: uuid::Uuid) {
        self.changes.announce(ceremony);
        self.work.notify_one();
    }
}
