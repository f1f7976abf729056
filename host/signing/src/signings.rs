//! What callers do with their signings.

use std::sync::Arc;

use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::{KnownDocuments, Registry};
use tokio::sync::Notify;
use url::Url;

use super::ceremony::Advices;
use super::intake::Intake;
use super::read_signing::SigningReader;
use crate::changes::Changes;
use crate::links::Links;

/// Opens, changes, ends and erases signings.
pub struct Signings {
    /// The rows and what they name.
    pub records: Records,
    /// Reads signings.
    pub reader: SigningReader,
    /// Lets documents in.
    pub intake: Arc<Intake>,
    /// Keeps answers.
    pub idempotency: Idempotency,
    /// Makes signers' links.
    pub links: Links,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Forgotten with the documents that are erased.
    pub known_documents: Arc<KnownDocuments>,
    /// The same.
    pub advices: Arc<Advices>,
    /// A page on which a person can settle why a workspace cannot pay.
    pub recovery_url: Option<Url>,
    /// Whether letters can be sent.
    pub sends_mail: bool,
    /// Tells those who wait for a signing.
    pub changes: Changes,
    /// Wakes the job runner.
    pub work: Arc<Notify>,
}
