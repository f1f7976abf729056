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
    /// Lets documents in.
    pub intake: Arc<Intake>,
    /// Opens and simulates signings.
    pub signings: Arc<Signings>,
    /// Raises outputs to long-term levels.
    pub archives: Arc<Archives>,
    /// Keeps the caller's remarks.
    pub comments: Arc<Comments>,
}

/// What these services work with.
pub struct SigningParts {
    /// The rows and what they name.
    pub records: Records,
    /// Opens, changes and ends the ceremonies of signings.
    pub ceremonies: Arc<Ceremonies>,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Keeps answers.
    pub idempotency: Idempotency,
    /// Room for what callers post.
    pub uploads: Arc<Uploads>,
    /// How long files are kept that nobody has signed yet.
    pub keep_files: SignedDuration,
    /// A page on which a person can settle why a workspace cannot pay.
    pub recovery_url: Option<Url>,
    /// Whether letters can be sent.
    pub sends_mail: bool,
    /// Gets what an archive is completed with.
    pub validation_data: ValidationData,
    /// Gets the time-stamps that some formats add to archives.
    pub timestamps: TimestampClient,
    /// Tells those who wait for a signing.
    pub changes: Changes,
    /// This host's clock, by which certificates are valid.
    pub clock: Arc<dyn Clock>,
}

impl SigningProduct {
    /// The services that work with these parts.
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
