//! Erasure: afterwards nothing identifies the people or the subject of a
//! ceremony.

use jiff::Timestamp;
use parafa_domain::{CeremonyStatus, SignerStatus};
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::jobs::TIMERS;
use parafa_platform::{PendingDeletion, idempotency, outbox};
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, StoreError, Transaction, audit};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Ceremonies, attempt, retention};
use crate::error::{CeremonyError, unless_unreadable};
use crate::owner::{Erasure, FinalEventKeys, Owners};
use crate::records::{
    CEREMONIES_TO_ERASE, CeremonyJob, CeremonyLinkRow, CeremonyRow, Delivery, SignerPrivateRow,
};
use crate::{change, history, notices};

/// Kind of the job that finishes an interrupted erasure.
pub const FINISH_ERASURE: &str = "finish-erasure";

/// Outcome of a bulk erasure.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ErasureCount {
    /// Number of erased ceremonies.
    pub purged: u64,
    /// Number of ceremonies to retry.
    pub failed: u64,
}

/// Reason for an erasure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reason {
    /// A request.
    Asked,
    /// The end of the workspace's retention.
    KeptLongEnough,
}

impl Reason {
    /// Returns whether the reason is valid at this moment.
    async fn holds(self, tx: &mut Transaction<'_>, row: &CeremonyRow) -> Result<bool, StoreError> {
        match self {
            Self::Asked => Ok(true),
            Self::KeptLongEnough => {
                let due = retention::erased_by_itself(tx, row).await?;
                Ok(due.is_some_and(|due| due <= tx.now()))
            }
        }
    }

    fn audited(self) -> audit::Fields {
        match self {
            Self::Asked => audit::Fields::new(),
            Self::KeptLongEnough => audit::Fields::new().reference("reason", "retention"),
        }
    }
}

/// Keys for the final notices of a pending ceremony, whose own key is erased with
/// it. An unused key is erased again.
struct FinalNotices {
    /// The ceremony's key, to read the content of the notices.
    ceremony: DataKey,
    /// A key for the owner's event.
    event: Option<OwnKey>,
    /// A key for the letters to those whose links end.
    letters: Option<OwnKey>,
}

struct OwnKey {
    id: Uuid,
    key: DataKey,
}

impl OwnKey {
    fn named(&self) -> (Uuid, &DataKey) {
        (self.id, &self.key)
    }
}

impl FinalNotices {
    fn keys(&self) -> impl Iterator<Item = Uuid> {
        let keys = self.event.iter().chain(&self.letters);
        keys.map(|own| own.id)
    }
}

impl Ceremonies {
    /// Erases a ceremony; a pending one is cancelled first. Returns whether there
    /// was anything to erase.
    pub async fn erase(&self, caller: &Caller, id: Uuid) -> Result<bool, CeremonyError> {
        self.erase_for(Reason::Asked, caller, id).await
    }

    /// Erases a ceremony at the end of its retention, unless that has changed
    /// meanwhile.
    pub(crate) async fn erase_unless_kept(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<bool, CeremonyError> {
        self.erase_for(Reason::KeptLongEnough, caller, id).await
    }

    async fn erase_for(
        &self,
        reason: Reason,
        caller: &Caller,
        id: Uuid,
    ) -> Result<bool, CeremonyError> {
        let row = self.reader.row_of(caller, id).await?;
        // Nothing is removed while its key could not be erased.
        self.records.keys.check().await?;
        if row.erased_at.is_some() {
            // An interrupted erasure is finished before it is confirmed.
            self.settle_erasure(id).await?;
            return Ok(false);
        }
        let final_notices = match self.final_notices(&row).await {
            Err(CeremonyError::NotFound) => {
                // Another request has begun to erase it.
                self.settle_erasure(id).await?;
                return Ok(false);
            }
            final_notices => {
                let what = "a signing that cannot be read is erased without an event";
                unless_unreadable(final_notices, id, what)?.flatten()
            }
        };
        let links: Vec<String> = row
            .ceremony
            .signers
            .iter()
            .map(|party| party.id.uuid())
            .flat_map(|signer| {
                [
                    self.links.ceremony_token(signer),
                    self.links.copy_token(signer),
                ]
            })
            .map(|token| token.hash().to_string())
            .collect();
        let (caller, links, told) = (*caller, &links, final_notices.as_ref());
        let erased = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<CeremonyRow>(&id).await?;
                    let row = row
                        .filter(|row| row.is_of(&caller))
                        .ok_or(CeremonyError::NotFound)?;
                    if row.erased_at.is_some() || !reason.holds(tx, &row).await? {
                        return Ok(None);
                    }
                    erase_rows(tx, &self.owners, (row, reason), links, told)
                        .await
                        .map(Some)
                })
            })
            .await;
        let used: &[Uuid] = match &erased {
            Ok(Some(used)) => used,
            _ => &[],
        };
        if erased
            .as_ref()
            .err()
            .is_none_or(CeremonyError::proves_nothing_stored)
        {
            let idle = final_notices.iter().flat_map(FinalNotices::keys);
            for key in idle.filter(|key| !used.contains(key)) {
                self.records.discard_key(key).await;
            }
        }
        let changed = erased?.is_some();
        self.settle_erasure(id).await?;
        if changed {
            tracing::info!(signing.id = %id, "signing erased");
            self.announce(id);
        }
        Ok(changed)
    }

    /// Erases the caller's ceremonies that ended before `before`, or all ended
    /// ones without it. Those left at `until` count as failed.
    pub async fn erase_ended(
        &self,
        caller: &Caller,
        before: Option<Timestamp>,
        until: Instant,
    ) -> Result<ErasureCount, CeremonyError> {
        let (tenant, live) = (caller.tenant, caller.mode == KeyMode::Live);
        let mut count = ErasureCount::default();
        let mut page = Page::oldest(MAX_PAGE_ROWS);
        loop {
            let asked = page.clone();
            let found = self
                .records
                .read(|tx| {
                    Box::pin(async move {
                        tx.page_by(&CEREMONIES_TO_ERASE, &(tenant, live), &asked, Guard::none())
                            .await
                    })
                })
                .await?;
            for row in &found.rows {
                let ended = row.ceremony.ended_at;
                if before.is_some_and(|before| ended.is_none_or(|ended| ended >= before)) {
                    continue;
                }
                if Instant::now() >= until {
                    count.failed += 1;
                    continue;
                }
                match self.erase(caller, row.ceremony.id.uuid()).await {
                    Ok(true) => count.purged += 1,
                    Ok(false) => {}
                    Err(error) => {
                        let error: &dyn std::error::Error = &error;
                        tracing::error!(signing.id = %row.ceremony.id, error, "a signing could not be erased");
                        count.failed += 1;
                    }
                }
            }
            match found.rows.last() {
                Some(last) if found.more => {
                    page = Page::oldest(MAX_PAGE_ROWS).after(last.ceremony.id.uuid());
                }
                _ => return Ok(count),
            }
        }
    }

    /// Finishes an interrupted erasure.
    pub async fn finish_erasure(&self, job: &ClaimedJob) -> Result<(), CeremonyError> {
        let CeremonyJob { ceremony } = job.payload()?;
        self.finish_deletion(ceremony).await?;
        Ok(self.records.complete(job).await?)
    }

    /// Finishes an erasure outside of its job, which then has nothing left to do.
    async fn settle_erasure(&self, id: Uuid) -> Result<(), CeremonyError> {
        self.finish_deletion(id).await?;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    jobs::cancel(tx, TIMERS, &jobs::unique_key(FINISH_ERASURE, id)).await?;
                    Ok::<_, CeremonyError>(())
                })
            })
            .await
    }

    /// Erases stored answers, keys and bytes permanently, then clears rows that
    /// can no longer be read. A failure does not stop the other removals.
    /// Repeating it is harmless.
    async fn finish_deletion(&self, id: Uuid) -> Result<(), CeremonyError> {
        let Some(row) = self.records.store.get::<CeremonyRow>(&id).await? else {
            return Ok(());
        };
        let Some(pending) = &row.pending_deletion else {
            return Ok(());
        };
        let answers = self.idempotency.remove_answers(id).await;
        let removed = self.remove(pending).await;
        self.owners.of(&row)?.finish_erasure(id).await?;
        answers.map_err(CeremonyError::from).and(removed)?;
        let forget = |row: &mut CeremonyRow| row.pending_deletion = None;
        Ok(self.records.end_deletion(id, forget).await?)
    }

    /// Erases keys, then byte files and their cached data; continues after
    /// failures and returns the first.
    async fn remove(&self, pending: &PendingDeletion) -> Result<(), CeremonyError> {
        let deleted = self.records.delete(pending).await;
        for file in &pending.byte_files {
            self.known_documents.forget(file.as_u128());
            self.earlier_signatures_cache.forget(*file);
        }
        Ok(deleted?)
    }

    /// Returns the keys for the final notices of a pending ceremony: they outlive
    /// the ceremony's key.
    async fn final_notices(
        &self,
        row: &CeremonyRow,
    ) -> Result<Option<FinalNotices>, CeremonyError> {
        if row.ceremony.status.is_terminal() {
            return Ok(None);
        }
        let ceremony = self.reader.key_to(row).await?;
        let event = match self.owners.of(row)?.has_final_event(&ceremony, row)? {
            true => Some(self.own_key().await?),
            false => None,
        };
        let letters = match row.delivery {
            Delivery::Email => Some(self.own_key().await?),
            Delivery::Link => None,
        };
        Ok(Some(FinalNotices {
            ceremony,
            event,
            letters,
        }))
    }

    async fn own_key(&self) -> Result<OwnKey, CeremonyError> {
        let id = self.records.store.new_id().await?;
        let key = self.records.keys.create(id).await?;
        Ok(OwnKey { id, key })
    }
}

/// Removes personal data from the rows, and schedules the removal of the rest,
/// which survives this host. Returns the keys used by the final notices.
async fn erase_rows(
    tx: &mut Transaction<'_>,
    owners: &Owners,
    (mut row, reason): (CeremonyRow, Reason),
    links: &[String],
    final_notices: Option<&FinalNotices>,
) -> Result<Vec<Uuid>, CeremonyError> {
    let id = row.ceremony.id.uuid();
    let before = row.ceremony.clone();
    let events = row.ceremony.end_for_erasure(tx.now());
    change::settle_attempts(tx, &row).await?;
    history::record_events(tx, id, &events).await?;
    let mut pending = idempotency::forget_answers_about(tx, id)
        .await?
        .unwrap_or_default();
    pending.data_keys.push(row.data_key);
    pending
        .data_keys
        .extend(outbox::drop_notices(tx, id).await?);
    pending.byte_files.extend(byte_files(&row));
    let event = final_notices.and_then(|notices| {
        Some(FinalEventKeys {
            ceremony: &notices.ceremony,
            event: notices.event.as_ref()?.named(),
        })
    });
    let erasure = Erasure {
        row: &row,
        events: &events,
        final_event: event,
    };
    let by_owner = owners.of(&row)?.erased(tx, erasure).await?;
    pending.data_keys.extend(by_owner.data_keys);
    let mut used = Vec::new();
    if let Some(keys) = event.filter(|_| by_owner.uses_event_key) {
        used.push(keys.event.0);
    }
    if let Some(final_notices) = final_notices
        && let Some(own) = &final_notices.letters
        && !events.is_empty()
        && row.ceremony.status == CeremonyStatus::Cancelled
    {
        let invited = before.signers.iter();
        for party in invited.filter(|party| party.status == SignerStatus::Pending) {
            let own_key = own.named();
            notices::retract_erased(tx, &final_notices.ceremony, own_key, &row, party.id).await?;
            used.push(own.id);
        }
    }
    for link in links {
        tx.delete::<CeremonyLinkRow>(link).await?;
    }
    for party in &mut row.ceremony.signers {
        tx.delete::<SignerPrivateRow>(&party.id.uuid()).await?;
        if let Some(last) = party.attempt {
            attempt::forget_answered(tx, last.uuid()).await?;
        }
        party.identity_locked = false;
        party.identity_matched = None;
    }
    for version in &mut row.versions {
        if let Some(made_by) = &mut version.made_by {
            made_by.signed_with = None;
        }
    }
    row.private = None;
    row.detail = None;
    row.erased_at = Some(tx.now());
    row.pending_deletion = Some(pending);
    tx.put(&row).await?;
    audit::append(tx, id, "signing.erased", reason.audited()).await?;
    let (payload, now) = (serde_json::json!({ "signing": id }), tx.now());
    jobs::schedule(tx, (TIMERS, FINISH_ERASURE), id, now, payload).await?;
    Ok(used)
}

fn byte_files(row: &CeremonyRow) -> Vec<Uuid> {
    let versions = row.versions.iter().chain(&row.artifact);
    let mut files: Vec<Uuid> = versions.map(|version| version.bytes_id).collect();
    files.sort_unstable();
    files.dedup();
    files
}
