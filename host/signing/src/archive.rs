//! Raises a signed output to a long-term level.
//!
//! The work is done between two looks at the signing: authorities are asked and
//! the plugin runs while attempts go on. What comes of it becomes a version only
//! if the signing still has the version that it was made of. On one host, who
//! wants the same signing archived waits for the first.

mod answers;
mod claims;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use answers::{Postponed, ValidationAnswers};
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_platform::accounts::Caller;
use parafa_platform::detached::run_detached;
use parafa_platform::{Records, seconds_until};
use parafa_plugin_host::{
    ArchiveRequest, ArchivedDocument, CallError, CallPriority, Capability, Plugin, Progress,
    Refusal, Registry, Urgency,
};
use parafa_store::keys::DataKey;
use parafa_store::{Clock, audit};
use parafa_trust::ValidationData;
use uuid::Uuid;

use super::attempt::pin;
use super::intake::Intake;
use super::read_signing::{OpenedSigning, SigningReader};
use super::{plugin_failure, seed};
use crate::changes::Changes;
use crate::records::{DocumentVersion, MadeBy, SigningRow};
use crate::{BUSY_RETRY_SECONDS, WorkflowError};

pub use turns::ArchiveTurns;

/// The format whose own specification fixes the level.
const FIXED_LEVEL_FORMAT: &str = "adoc";
/// How often an archive is begun anew because the document has changed
/// meanwhile.
const TRIES: usize = 3;
/// How long an archive may take, the wait for its turn included.
const WITHIN: Duration = Duration::from_secs(60);
/// When to ask again at the earliest for data that are to come, also where
/// nobody tells when.
const ASK_AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// When at the latest.
const ASK_AGAIN_WITHIN: SignedDuration = SignedDuration::from_hours(24);

/// What cannot be done without a plugin that archives.
const NO_ARCHIVE: &str = "No plugin that is installed here archives documents of this format.";
/// The same of one that is out of use.
const OUT_OF_USE: &str = "documents of this format cannot be archived at the moment";
/// Codes of refusals that tell what keeps a signature from being raised.
const INCOMPLETE: [&str; 3] = [
    "archive-incomplete",
    "archive-no-room",
    "too-much-to-verify",
];

/// A signing whose output is at a long-term level.
#[derive(Debug)]
pub struct Archived {
    /// The signing with its new version.
    pub opened: OpenedSigning,
    /// The level, such as `PAdES-B-LT`.
    pub level: String,
    /// Whether it was raised now.
    pub upgraded: bool,
}

/// Raises signed outputs to long-term levels.
pub struct Archives {
    /// The rows and what they name.
    pub records: Records,
    /// Reads signings.
    pub reader: SigningReader,
    /// Lets documents in.
    pub intake: Arc<Intake>,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Gets what an archive is completed with.
    pub validation_data: ValidationData,
    /// Archives that are made at one time.
    pub archive_turns: ArchiveTurns,
    /// Tells those who wait for a signing.
    pub changes: Changes,
    /// This host's clock, by which certificates are valid.
    pub clock: Arc<dyn Clock>,
}

impl Archives {
    /// Raises the newest signed version, unless it is raised already.
    pub async fn archive_signing(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Archived, WorkflowError> {
        self.archivable(&self.reader.signing_of(caller, id).await?)
            .await?;
        let archived = tokio::time::timeout(WITHIN, self.archive_in_turn(caller, id)).await;
        archived.unwrap_or(Err(WorkflowError::ServiceDown(
            "archiving takes too long at the moment; try again",
        )))
    }

    async fn archive_in_turn(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Archived, WorkflowError> {
        let _turn = self.archive_turns.take(id).await;
        for _ in 0..TRIES {
            let row = self.reader.signing_of(caller, id).await?;
            let base = self.archivable(&row).await?.clone();
            if let Some(archived) = self.archive_version(caller, row, base).await? {
                return Ok(archived);
            }
        }
        Err(busy())
    }

    /// The version that can be archived.
    async fn archivable<'r>(
        &self,
        row: &'r SigningRow,
    ) -> Result<&'r DocumentVersion, WorkflowError> {
        if row.erased_at.is_some() {
            return Err(WorkflowError::NotFound);
        }
        let Some(output) = row.output() else {
            return Err(WorkflowError::NotYetSigned);
        };
        if row
            .signing
            .current_turn(self.records.store.now().await?)
            .is_some()
        {
            return Err(busy());
        }
        if output.simulated {
            return Err(WorkflowError::ArchiveNotSupported(
                "A sandbox artifact carries no signature that could be archived.",
            ));
        }
        if row.format == FIXED_LEVEL_FORMAT {
            return Err(WorkflowError::ArchiveNotSupported(
                "ADOC is not archived: its specification fixes the level at XAdES-T.",
            ));
        }
        Ok(output.version)
    }

    /// Raises one version; none if the signing has another one by then.
    async fn archive_version(
        self: &Arc<Self>,
        caller: &Caller,
        row: SigningRow,
        base: DocumentVersion,
    ) -> Result<Option<Archived>, WorkflowError> {
        let plugin = self.plugins.by_id(&row.format);
        let plugin = plugin.ok_or(WorkflowError::NotSetUp(OUT_OF_USE))?;
        if !plugin.capabilities().contains(&Capability::Archive) {
            return Err(WorkflowError::ArchiveNotSupported(NO_ARCHIVE));
        }
        let priority = CallPriority::new(Urgency::Background, row.tenant.as_u128());
        let plugin = plugin.prioritized(priority);
        let document = self.reader.version_bytes(&row, &base).await?;
        let archived = self.complete(&plugin, document).await?;
        claims::check(&plugin, &row, &base, &archived)?;
        let ArchivedDocument { bytes, outcome, .. } = archived;
        let Some(bytes) = bytes else {
            return Ok(Some(Archived {
                opened: self.reader.open_signing(row).await?,
                level: outcome.level,
                upgraded: false,
            }));
        };
        // Until the row is stored.
        let _room = self.intake.room(caller, bytes.len() as u64, 0).await?;
        let app = Arc::clone(self);
        let kept =
            run_detached(
                async move { app.keep_archive(&plugin, &row, &base, bytes, outcome).await },
            )
            .await;
        // A panic is this request's own.
        kept.unwrap_or_else(|panicked| panicked.resume())
    }

    /// Writes an archived document and makes it a version; none if the signing
    /// has another one by then, and then nothing of it is left.
    async fn keep_archive(
        &self,
        plugin: &Plugin,
        row: &SigningRow,
        base: &DocumentVersion,
        bytes: Bytes,
        outcome: parafa_plugin_host::Archived,
    ) -> Result<Option<Archived>, WorkflowError> {
        let key = self.reader.key_to(row).await?;
        let created_at = self.records.store.now().await?;
        let written = self
            .records
            .files
            .write(&key, self.records.store.new_id().await?, bytes);
        let written = written.await?;
        let version = DocumentVersion {
            bytes_id: written.id,
            sha256: written.sha256.to_string(),
            bytes: written.bytes,
            media_type: outcome.media_type,
            created_at,
            made_by: Some(MadeBy {
                attempt: None,
                plugin: pin(plugin),
                level: outcome.level.clone(),
            }),
        };
        let id = row.signing.id.uuid();
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

    /// Has the plugin raise a document, and authorities asked for what that
    /// takes.
    async fn complete(
        &self,
        plugin: &Plugin,
        document: Bytes,
    ) -> Result<ArchivedDocument, WorkflowError> {
        let request = ArchiveRequest {
            time: self.records.store.now().await?.as_second(),
            seed: seed()?,
            params: Vec::new(),
        };
        // What authorities date is held against this host's clock.
        let now = self.clock.now();
        let answers = ValidationAnswers::new(&self.validation_data, now);
        let progress = plugin
            .drive_archive(document, &request, Vec::new(), &answers)
            .await;
        match progress {
            Ok(Progress::Done(archived)) => Ok(*archived),
            Ok(Progress::Suspended(_)) => Err(postponed(answers.postponed(), now)),
            Err(CallError::Refused(refusal)) => Err(refused(refusal)),
            Err(CallError::Fault(fault)) => Err(WorkflowError::Plugin(Box::new(fault))),
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
    ) -> Result<Option<OpenedSigning>, WorkflowError> {
        self.records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<SigningRow>(&id).await?;
                    let row = row.filter(|row| row.erased_at.is_none());
                    let mut row = row.ok_or(WorkflowError::NotFound)?;
                    if row.signing.current_turn(tx.now()).is_some() {
                        return Err(busy());
                    }
                    let newest = row.newest().map(|newest| newest.bytes_id);
                    if newest != Some(base.bytes_id) {
                        return Ok(None);
                    }
                    // Somebody may have taken it out of use while it worked.
                    if self.plugins.is_disabled(plugin.digest()) {
                        return Err(WorkflowError::NotSetUp(OUT_OF_USE));
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
                    OpenedSigning::read(tx, key, row).await.map(Some)
                })
            })
            .await
    }
}

/// Why an archive cannot be completed now.
fn postponed(why: Option<Postponed>, now: Timestamp) -> WorkflowError {
    match why {
        Some(Postponed::Until(next_update)) => {
            let wait = next_update.map_or(ASK_AGAIN_AFTER, |next| now.duration_until(next));
            let then = now.saturating_add(wait.clamp(ASK_AGAIN_AFTER, ASK_AGAIN_WITHIN));
            WorkflowError::ArchiveTooEarly {
                retry_after: seconds_until(then.unwrap_or(now), now),
            }
        }
        Some(Postponed::Down) | None => WorkflowError::ServiceDown(
            "a service that tells of certificates cannot answer at the moment; nothing was changed",
        ),
    }
}

/// Why a plugin does not archive a document.
fn refused(refusal: Refusal) -> WorkflowError {
    if INCOMPLETE.contains(&refusal.code.as_str()) {
        return WorkflowError::ArchiveIncomplete(refusal);
    }
    tracing::error!(
        failure = plugin_failure::words(&refusal.into()),
        "a document that was signed here cannot be archived"
    );
    WorkflowError::NotSetUp("the document cannot be archived")
}

/// Somebody is signing, or the document changes again and again.
fn busy() -> WorkflowError {
    WorkflowError::Busy {
        retry_after: BUSY_RETRY_SECONDS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry_after(next_update: Option<i64>) -> u32 {
        let [now, next] = [Some(1_000_000), next_update]
            .map(|second| second.and_then(|second| Timestamp::from_second(second).ok()));
        match postponed(Some(Postponed::Until(next)), now.unwrap()) {
            WorkflowError::ArchiveTooEarly { retry_after } => retry_after,
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
    fn only_what_keeps_a_signature_from_being_raised_makes_an_archive_incomplete() {
        let refused = |code: &str| {
            refused(Refusal {
                code: code.to_owned(),
                detail: "it does not do".to_owned(),
                subjects: Vec::new(),
            })
        };

        for code in INCOMPLETE {
            assert!(matches!(refused(code), WorkflowError::ArchiveIncomplete(_)));
        }
        for code in ["bad-request", "object-damaged", "unanswered"] {
            assert!(matches!(refused(code), WorkflowError::NotSetUp(_)));
        }
    }
}
