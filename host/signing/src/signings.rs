//! What callers do with their signings.

use std::sync::Arc;

use parafa_ceremony::Ceremonies;
use parafa_ceremony::reader::CeremonyReader;
use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::Registry;
use url::Url;

use super::intake::Intake;

/// Opens and simulates signings. What else is done with them is their
/// ceremonies' matter.
pub struct Signings {
    /// The rows and what they name.
    pub records: Records,
    /// Reads signings.
    pub reader: CeremonyReader,
    /// Opens, changes and ends their ceremonies.
    pub ceremonies: Arc<Ceremonies>,
    /// Lets documents in.
    pub intake: Arc<Intake>,
    /// Keeps answers.
    pub idempotency: Idempotency,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// A page on which a person can settle why a workspace cannot pay.
    pub recovery_url: Option<Url>,
    /// Whether letters can be sent.
    pub sends_mail: bool,
}
