//! Archives: raises signed outputs to a long-term level.
//!
//! The work is done between two reads of the signing: authorities are queried
//! and the plugin runs while attempts go on. The result becomes a version only
//! if the signing still has the version that it was made of. On one host,
//! requests to archive the same signing wait for the first.

mod claims;
mod lacks;
mod turns;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_answers::{Postponed, ValidationAnswers};
use parafa_api_signing::{ArchiveLevel, WireName};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::attempt::pin;
use parafa_ceremony::changes::Changes;
use parafa_ceremony::reader::{CeremonyReader, UnsealedCeremony};
use parafa_ceremony::records::{CeremonyRow, DocumentVersion, MadeBy};
use parafa_ceremony::{plugin_failure, seed};
use parafa_platform::accounts::Caller;
use parafa_platform::detached::run_detached;
use parafa_platform::plugins::is_disabled;
use parafa_platform::{Records, seconds_until};
use parafa_plugin_host::{
    ArchiveRequest, ArchivedDocument, BaselineLevel, CallError, CallPriority, Capability,
    Operation, Plugin, Progress, Refusal, Registry, TargetLevel, Urgency, refusal,
};
use parafa_store::keys::DataKey;
use parafa_store::{Clock, audit};
use parafa_trust::{TimestampClient, ValidationData};
use uuid::Uuid;

use super::intake::Intake;
use crate::SigningError;

pub use turns::ArchiveTurns;

/// Attempts at an archive whose document changes meanwhile.
const TRIES: usize = 3;
/// Longest duration of an archive, including the wait for its turn.
const WITHIN: Duration = Duration::from_secs(60);
/// Least delay before asking again for future data, even if their time is
/// unknown.
const ASK_AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// Longest such delay.
const ASK_AGAIN_WITHIN: SignedDuration = SignedDuration::from_hours(24);

/// Detail of a refusal for want of the format's plugin.
const NO_PLUGIN: &str = "No installed plugin handles documents of this format.";
/// Detail of a refusal for want of a level of this API.
const NO_LEVEL: &str = "Documents of this format cannot be raised to a level of this API.";
/// Codes of refusals that name what a signature lacks.
const INCOMPLETE: [&str; 3] = [
    refusal::ARCHIVE_INCOMPLETE,
    refusal::ARCHIVE_NO_ROOM,
    refusal::TOO_MUCH_TO_VERIFY,
];

/// A signing with an output at a long-term level.
#[derive(Debug)]
pub struct Archived {
    /// The signing with its new version.
    pub opened: UnsealedCeremony,
    /// The level, such as `PAdES-B-LT`.
    pub level: String,
    /// Raised by this request.
    pub upgraded: bool,
}

/// Service that raises signed outputs to long-term levels.
pub struct Archives {
    /// The rows with their files and keys.
    pub records: Records,
    /// Reader of signings.
    pub reader: CeremonyReader,
    /// Intake of documents.
    pub intake: Arc<Intake>,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Source of validation data.
    pub validation_data: ValidationData,
    /// Source of the time-stamps that some formats add.
    pub timestamps: TimestampClient,
    /// Limits of concurrent archives.
    pub archive_turns: ArchiveTurns,
    /// Notifications of those who wait for a signing.
    pub changes: Changes,
    /// This host's clock, by which the validity of certificates is judged.
    pub clock: Arc<dyn Clock>,
}

impl Archives {
    /// Raises the newest signed version, unless that is done already.
    pub async fn archive_signing(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Archived, SigningError> {
        self.archivable(&self.reader.row_of(caller, id).await?)
            .await?;
        let archived = tokio::time::timeout(WITHIN, self.archive_in_turn(caller, id)).await;
        archived.unwrap_or(Err(CeremonyError::ServiceDown(
            "archiving takes too long at the moment; try again",
        )
        .into()))
    }

    async fn archive_in_turn(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Archived, SigningError> {
        let _turn = self.archive_turns.take(id).await;
        for _ in 0..TRIES {
            let row = self.reader.row_of(caller, id).await?;
            let base = self.archivable(&row).await?.clone();
            if let Some(archived) = self.archive_version(caller, row, base).await? {
                return Ok(archived);
            }
        }
        Err(CeremonyError::Busy.into())
    }

    /// Returns the version that can be archived.
    async fn archivable<'r>(
        &self,
        row: &'r CeremonyRow,
    ) -> Result<&'r DocumentVersion, SigningError> {
        if row.erased_at.is_some() {
            return Err(CeremonyError::NotFound.into());
        }
        let Some(output) = row.output() else {
            return Err(CeremonyError::NotYetSigned(row.ceremony.status).into());
        };
        check_free(row, self.records.store.now().await?)?;
        if output.simulated {
            return Err(not_supported(
                "A sandbox artifact carries no signature that could be archived.",
            ));
        }
        Ok(output.version)
    }

    /// Raises one version; returns `None` if the signing has another one by
    /// then.
    async fn archive_version(
        self: &Arc<Self>,
        caller: &Caller,
        row: CeremonyRow,
        base: DocumentVersion,
    ) -> Result<Option<Archived>, SigningError> {
        let Some(plugin) = self.plugins.by_id(&row.format) else {
            return Err(match self.plugins.is_complete() {
                true => not_supported(NO_PLUGIN),
                false => out_of_use(&row.format),
            });
        };
        if !plugin.capabilities().contains(&Capability::Archive) {
            return Err(not_supported(no_archive(&plugin)));
        }
        let mut levels = plugin.levels(Operation::Archive).iter();
        if levels.any(|level| told_level(level).is_none()) {
            return Err(not_supported(NO_LEVEL));
        }
        let priority = CallPriority::new(Urgency::Background, row.tenant.as_u128());
        let plugin = plugin.prioritized(priority);
        let document = self.reader.version_bytes(&row, &base).await?;
        check_obstacle(&plugin, document.clone()).await?;
        let archived = self.complete(&plugin, document).await?;
        claims::check(&plugin, &row, &base, &archived)?;
        let ArchivedDocument { bytes, outcome, .. } = archived;
        let Some(bytes) = bytes else {
            return Ok(Some(Archived {
                opened: self.reader.open(row).await?,
                level: outcome.level,
                upgraded: false,
            }));
        };
        let room = self
            .intake
            .uploads
            .room(caller, bytes.len() as u64, 0)
            .await?;
        let app = Arc::clone(self);
        let kept = run_detached(async move {
            // Held until the row is stored, even if the caller is gone.
            let _room = room;
            app.keep_archive(&plugin, &row, &base, bytes, outcome).await
        })
        .await;
        // A panic belongs to this request.
        kept.unwrap_or_else(|panicked| panicked.resume())
    }

    /// Writes an archived document and stores it as a version. Returns `None` if
    /// the signing has another one by then; the written document is then
    /// removed.
    async fn keep_archive(
        &self,
        plugin: &Plugin,
        row: &CeremonyRow,
        base: &DocumentVersion,
        bytes: Bytes,
        outcome: parafa_plugin_host::Archived,
    ) -> Result<Option<Archived>, SigningError> {
        let key = self.reader.key_to(row).await?;
        let created_at = self.records.store.now().await?;
        let written = self
            .records
            .files
            .write(&key, self.records.store.new_id().await?, bytes);
        let written = written.await?;
        let made_by = MadeBy {
            attempt: None,
            plugin: pin(plugin),
            level: outcome.level.clone(),
            signed_with: None,
        };
        let version = DocumentVersion::of(written, outcome.media_type, created_at, Some(made_by));
        let id = row.ceremony.id.uuid();
        let stored = self.store_archive(&key, id, base, &version, plugin).await;
        let is_lost = match &stored {
            Ok(opened) => opened.is_none(),
            Err(error) => error.proves_nothing_stored(),
        };
        if is_lost {
            self.records.discard_bytes(version.bytes_id).await;
        }
        let Some(opened) = stored? else {
            return Ok(None);
        };
        tracing::info!(
            signing.id = %id,
            document.sha256 = version.sha256,
            document.level = outcome.level,
            plugin.digest = %plugin.digest(),
            "document archived"
        );
        self.changes.announce(id);
        Ok(Some(Archived {
            opened,
            level: outcome.level,
            upgraded: true,
        }))
    }

    /// Lets the plugin raise a document, with queries to authorities as needed.
    async fn complete(
        &self,
        plugin: &Plugin,
        document: Bytes,
    ) -> Result<ArchivedDocument, SigningError> {
        let request = ArchiveRequest {
            time: self.records.store.now().await?.as_second(),
            seed: seed()?,
            target_level: TargetLevel::BLt,
            params: Vec::new(),
        };
        // The times given by authorities are compared with this host's clock.
        let now = self.clock.now();
        let answers = ValidationAnswers::new(&self.validation_data, &self.timestamps, now);
        let progress = plugin
            .drive_archive(document.clone(), &request, Vec::new(), &answers)
            .await;
        match progress {
            Ok(Progress::Done(archived)) => Ok(*archived),
            Ok(Progress::Suspended(suspension)) => {
                if answers.lacks_for_good()
                    && let Some(lacks) =
                        lacks::for_good(plugin, document, &request, suspension).await
                {
                    return Err(SigningError::ArchiveIncomplete(lacks));
                }
                Err(postponed(answers.postponed(), answers.away(), now))
            }
            Err(CallError::Refused(refusal)) => Err(refused(refusal)),
            Err(CallError::Fault(fault)) => Err(CeremonyError::Plugin(Box::new(fault)).into()),
        }
    }

    /// Adds the version, if the signing still has the one that it was made of.
    async fn store_archive(
        &self,
        key: &DataKey,
        id: Uuid,
        base: &DocumentVersion,
        version: &DocumentVersion,
        plugin: &Plugin,
    ) -> Result<Option<UnsealedCeremony>, SigningError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<CeremonyRow>(&id).await?;
                    let row = row.filter(|row| row.erased_at.is_none());
                    let mut row = row.ok_or(CeremonyError::NotFound)?;
                    check_free(&row, tx.now())?;
                    let newest = row.newest().map(|newest| newest.bytes_id);
                    if newest != Some(base.bytes_id) {
                        return Ok(None);
                    }
                    // The plugin may have been disabled meanwhile.
                    if is_disabled(tx, &plugin.digest().to_string()).await? {
                        return Err(out_of_use(&row.format));
                    }
                    row.versions.push(version.clone());
                    tx.put(&row).await?;
                    let mut fields = audit::Fields::new()
                        .reference("base", &base.sha256)
                        .reference("document", &version.sha256);
                    if let Some(made_by) = &version.made_by {
                        fields = made_by.audited(fields);
                    }
                    audit::append(tx, id, "document.archived", fields).await?;
                    Ok(Some(UnsealedCeremony::read(tx, key, row).await?))
                })
            })
            .await
    }
}

/// Returns the error for an archive that cannot be completed now.
fn postponed(why: Option<Postponed>, away: Option<String>, now: Timestamp) -> SigningError {
    match why {
        Some(Postponed::Until(next_update)) => {
            let wait = next_update.map_or(ASK_AGAIN_AFTER, |next| now.duration_until(next));
            let then = now.saturating_add(wait.clamp(ASK_AGAIN_AFTER, ASK_AGAIN_WITHIN));
            SigningError::ArchiveTooEarly {
                retry_after: seconds_until(then.unwrap_or(now), now),
            }
        }
        Some(Postponed::Down) | None => SigningError::ArchiveServiceDown {
            wanted: away,
            retry_after: seconds_until(now.saturating_add(ASK_AGAIN_AFTER).unwrap_or(now), now),
        },
    }
}

/// Returns the error for a plugin's refusal to archive.
fn refused(refusal: Refusal) -> SigningError {
    if INCOMPLETE.contains(&&*refusal.code) {
        return SigningError::ArchiveIncomplete(refusal);
    }
    tracing::error!(
        failure = plugin_failure::words(&refusal.into()),
        "a document that was signed here cannot be archived"
    );
    not_supported("The plugin refuses to archive the document as it is.")
}

/// Refuses a document that according to its plugin cannot be archived.
async fn check_obstacle(plugin: &Plugin, document: Bytes) -> Result<(), SigningError> {
    if !plugin.capabilities().contains(&Capability::Inspect) {
        return Ok(());
    }
    match plugin.inspect(document).await {
        Ok(report) => match report.obstacle(Operation::Archive) {
            Some(obstacle) => Err(not_supported(obstacle.detail.clone())),
            None => Ok(()),
        },
        Err(CallError::Refused(refusal)) => Err(refused(refusal)),
        Err(CallError::Fault(fault)) => Err(CeremonyError::Plugin(Box::new(fault)).into()),
    }
}

/// Describes a format that no plugin raises, with the level of its signatures.
fn no_archive(plugin: &Plugin) -> String {
    let format = plugin.id().to_uppercase();
    match plugin.levels(Operation::Sign).last() {
        Some(level) => format!(
            "Documents of the format {format} are not raised to a long-term level: their signatures stay at {level}."
        ),
        None => format!("Documents of the format {format} are not archived here."),
    }
}

fn not_supported(why: impl Into<Cow<'static, str>>) -> SigningError {
    SigningError::ArchiveNotSupported(why.into())
}

/// Returns whether a level is a long-term one.
fn is_long_term(level: &str) -> bool {
    BaselineLevel::of(level) >= Some(BaselineLevel::Lt)
}

/// Returns the reported level of a document: that of its format, where `LTA`
/// includes `LT`.
pub(crate) fn told_level(level: &str) -> Option<ArchiveLevel> {
    fn format(level: &str) -> Option<&str> {
        level.split('-').next()
    }
    let mut told = ArchiveLevel::ALL.iter();
    let told = told.find(|(name, _)| is_long_term(level) && format(name) == format(level));
    told.map(|(_, told)| *told)
}

/// Refuses a document that is being signed.
fn check_free(row: &CeremonyRow, now: Timestamp) -> Result<(), CeremonyError> {
    match row.ceremony.current_turn(now) {
        Some(_) => Err(CeremonyError::Busy),
        None => Ok(()),
    }
}

fn out_of_use(format: &str) -> SigningError {
    CeremonyError::OutOfUse {
        format: format.to_owned(),
        done: "archived",
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry_after(next_update: Option<i64>) -> u32 {
        let [now, next] = [Some(1_000_000), next_update]
            .map(|second| second.and_then(|second| Timestamp::from_second(second).ok()));
        match postponed(Some(Postponed::Until(next)), None, now.unwrap()) {
            SigningError::ArchiveTooEarly { retry_after } => retry_after,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn data_that_are_to_come_are_asked_for_when_they_come_but_not_at_once_and_within_a_day() {
        assert_eq!(retry_after(Some(1_000_600)), 601);
        for soon in [None, Some(999_000), Some(1_000_001)] {
            assert_eq!(retry_after(soon), 61);
        }
        assert_eq!(retry_after(Some(9_000_000)), 24 * 60 * 60 + 1);
    }

    #[test]
    fn callers_are_told_of_the_long_term_level_of_each_format_that_the_api_knows() {
        for (name, level) in ArchiveLevel::ALL {
            assert_eq!(told_level(name), Some(*level));
        }
        assert_eq!(told_level("PAdES-B-LTA"), told_level("PAdES-B-LT"));
        assert_eq!(told_level("XAdES-B-LTA"), told_level("XAdES-LT"));
        for other in ["PAdES-B-T", "JAdES-B-LT", "unknown", ""] {
            assert_eq!(told_level(other), None, "{other}");
        }
    }

    #[test]
    fn only_what_keeps_a_signature_from_being_raised_makes_an_archive_incomplete() {
        let refused = |code: &str| refused(Refusal::new(code.to_owned(), "it does not do"));

        for code in INCOMPLETE {
            assert!(matches!(refused(code), SigningError::ArchiveIncomplete(_)));
        }
        for code in ["bad-request", "object-damaged", "unanswered"] {
            assert!(matches!(
                refused(code),
                SigningError::ArchiveNotSupported(_)
            ));
        }
    }
}
