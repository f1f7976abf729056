//! What callers do with their signings.

use std::sync::Arc;

use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::{KnownDocuments, Registry};
use tokio::sync::Notify;

use super::ceremony::Advices;
use super::intake::Intake;
use super::read_signing::SigningReader;
use crate::changes::Changes;
use crate::config::Billing;
use crate::links::Links;

/// Opens, changes, ends and erases signings.
pub(crate) struct Signings {
    pub(crate) records: Records,
    pub(crate) reader: SigningReader,
    pub(crate) intake: Arc<Intake>,
    pub(crate) idempotency: Idempotency,
    pub(crate) links: Links,
    pub(crate) plugins: Arc<Registry>,
    /// Forgotten with the documents that are erased.
    pub(crate) known_documents: Arc<KnownDocuments>,
    /// The same.
    pub(crate) advices: Arc<Advices>,
    pub(crate) billing: Billing,
    /// Whether letters can be sent.
    pub(crate) sends_mail: bool,
    pub(crate) changes: Changes,
    /// Wakes the job runner.
    pub(crate) work: Arc<Notify>,
}
