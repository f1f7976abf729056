use std::sync::Arc;

use jiff::SignedDuration;
use parafa_ceremony::Ceremonies;
use parafa_ceremony::changes::Changes;
use parafa_ceremony::quota::Uploads;
use parafa_ceremony::reader::CeremonyReader;
use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::Registry;
use parafa_store::Clock;
use parafa_trust::{TimestampClient, ValidationData};
use url::Url;

use crate::archive::{ArchiveTurns, Archives};
use crate::comments::Comments;
use crate::intake::Intake;
use crate::signings::Signings;

/// The services of the signing product.
#[derive(Clone)]
pub struct SigningProduct {
    /// Intake of documents.
    pub intake: Arc<Intake>,
    /// Service that opens and simulates signings.
    pub signings: Arc<Signings>,
    /// Service that raises outputs to long-term levels.
    pub archives: Arc<Archives>,
    /// Service for comments.
    pub comments: Arc<Comments>,
}

/// Dependencies of these services.
pub struct SigningParts {
    /// The rows with their files and keys.
    pub records: Records,
    /// Service that opens, changes and ends the ceremonies of signings.
    pub ceremonies: Arc<Ceremonies>,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Stored answers.
    pub idempotency: Idempotency,
    /// Quota of uploads.
    pub uploads: Arc<Uploads>,
    /// Retention period of files without a signature.
    pub keep_files: SignedDuration,
    /// Page on which a person can settle the cause of a refused payment.
    pub recovery_url: Option<Url>,
    /// Mail can be sent.
    pub sends_mail: bool,
    /// Source of validation data.
    pub validation_data: ValidationData,
    /// Source of the time-stamps that some formats add to archives.
    pub timestamps: TimestampClient,
    /// Notifications of those who wait for a signing.
    pub changes: Changes,
    /// This host's clock, by which the validity of certificates is judged.
    pub clock: Arc<dyn Clock>,
}

impl SigningProduct {
    /// Creates the services with these dependencies.
    pub fn new(parts: SigningParts) -> Self {
        let reader = CeremonyReader::new(parts.records.clone());
        let intake = Arc::new(Intake::new(
            parts.records.clone(),
            parts.plugins.clone(),
            parts.idempotency.clone(),
            parts.uploads,
            parts.keep_files,
            parts.recovery_url.clone(),
        ));
        let comments = Comments::new(
            parts.records.clone(),
            reader.clone(),
            parts.idempotency.clone(),
        );
        let archives = Archives {
            records: parts.records.clone(),
            reader: reader.clone(),
            intake: intake.clone(),
            plugins: parts.plugins.clone(),
            validation_data: parts.validation_data,
            timestamps: parts.timestamps,
            archive_turns: ArchiveTurns::default(),
            changes: parts.changes,
            clock: parts.clock,
        };
        let signings = Signings {
            records: parts.records,
            reader,
            ceremonies: parts.ceremonies,
            intake: intake.clone(),
            idempotency: parts.idempotency,
            plugins: parts.plugins,
            recovery_url: parts.recovery_url,
            sends_mail: parts.sends_mail,
        };
        Self {
            intake,
            signings: Arc::new(signings),
            archives: Arc::new(archives),
            comments: Arc::new(comments),
        }
    }
}
