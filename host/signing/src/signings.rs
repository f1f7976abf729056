//! Operations on signings for callers.

use std::sync::Arc;

use parafa_ceremony::Ceremonies;
use parafa_ceremony::reader::CeremonyReader;
use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::Registry;
use url::Url;

use super::intake::Intake;

/// Service that opens and simulates signings. Other operations belong to the
/// ceremonies.
pub struct Signings {
    /// The rows with their files and keys.
    pub records: Records,
    /// Reader of signings.
    pub reader: CeremonyReader,
    /// Service that opens, changes and ends their ceremonies.
    pub ceremonies: Arc<Ceremonies>,
    /// Intake of documents.
    pub intake: Arc<Intake>,
    /// Stored answers.
    pub idempotency: Idempotency,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Page on which a person can settle the cause of a refused payment.
    pub recovery_url: Option<Url>,
    /// Mail can be sent.
    pub sends_mail: bool,
}
