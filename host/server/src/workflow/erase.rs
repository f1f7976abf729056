//! Erasure: afterwards nothing says who or what a signing was about.

use jiff::Timestamp;
use parafa_domain::SigningEvent;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::DataKey;
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, Transaction, audit};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::accounts::Caller;
use super::lanes::TIMERS;
use super::{batches, change, history, idempotency, notices};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    AttemptRow, CeremonyLinkRow, CommentRow, EventKind, KeyMode, NOTICES_OF_SIGNING, NoticeRow,
    SIGNINGS_TO_ERASE, SignerPrivateRow, SigningRow, Source,
};

/// The kind of the job that finishes an erasure that was cut short.
pub(crate) const FINISH_ERASURE: &str = "finish-erasure";

/// Comments that are removed in one commit.
const COMMENTS_AT_ONCE: usize = 500;

/// How a bulk erasure went.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct ErasureCount {
    pub(crate) purged: u64,
    /// How many are to be tried again.
    pub(crate) failed: u64,
}

/// What is left to do once the rows say that a signing is erased. It holds ids
/// alone.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Remains {
    signing: Uuid,
    data_keys: Vec<Uuid>,
    byte_files: Vec<Uuid>,
}

impl App {
    /// Erases a signing; a pending one is cancelled first. Tells whether there
    /// was anything to erase.
    pub(crate) async fn erase_signing(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<bool, WorkflowError> {
        let row = self.signing_of(caller, id).await?;
        if row.erased_at.is_some() {
            // An erasure that was cut short is finished before it is confirmed.
            self.finish_known_erasure(&row).await?;
            return Ok(false);
        }
        let target = self.webhook_of(&row).await?;
        // The last event outlives the signing's key, under one of its own.
        let own_id = self.store.new_id().await?;
        let own = match &target {
            Some(_) => Some(self.keys.create(own_id).await?),
            None => None,
        };
        let links: Vec<String> = row
            .signing
            .signers
            .iter()
            .map(|party| self.link(id, party.id.uuid()).token_hash)
            .collect();
        let (caller, links) = (*caller, &links);
        let last_word = own.as_ref().zip(target.as_ref());
        let erased = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<SigningRow>(&id).await?;
                    let row = row
                        .filter(|row| row.tenant == caller.tenant && row.mode == caller.mode)
                        .ok_or(WorkflowError::NotFound)?;
                    if row.erased_at.is_some() {
                        return Ok(None);
                    }
                    let last_word = last_word.map(|(key, target)| (own_id, key, target.as_str()));
                    erase_rows(tx, row, links, last_word).await.map(Some)
                })
            })
            .await;
        let is_idle = match &erased {
            Ok(erased) => !erased.as_ref().is_some_and(|erased| erased.told),
            Err(error) => error.proves_nothing_stored(),
        };
        if own.is_some() && is_idle {
            self.discard_key(own_id).await;
        }
        let Some(erased) = erased? else {
            return Ok(false);
        };
        self.finish_remains(&erased.remains).await?;
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    jobs::cancel(tx, TIMERS, &unique(id)).await?;
                    Ok::<_, WorkflowError>(())
                })
            })
            .await?;
        tracing::info!(signing.id = %id, "signing erased");
        self.changes.announce(id);
        self.work.notify_one();
        Ok(true)
    }

    /// Erases the caller's signings that ended before `before`; all that have
    /// ended if none is given.
    pub(crate) async fn erase_ended_signings(
        &self,
        caller: &Caller,
        before: Option<Timestamp>,
    ) -> Result<ErasureCount, WorkflowError> {
        let (tenant, live) = (caller.tenant, caller.mode == KeyMode::Live);
        let mut count = ErasureCount::default();
        let mut page = Page::oldest(MAX_PAGE_ROWS);
        loop {
            let asked = page.clone();
            let found = self
                .store
                .read(|tx| {
                    Box::pin(async move {
                        tx.page_by(&SIGNINGS_TO_ERASE, &(tenant, live), &asked, Guard::none())
                            .await
                    })
                })
                .await?;
            for row in &found.rows {
                let ended = row.signing.ended_at;
                if before.is_some_and(|before| ended.is_none_or(|ended| ended >= before)) {
                    continue;
                }
                match self.erase_signing(caller, row.signing.id.uuid()).await {
                    Ok(true) => count.purged += 1,
                    Ok(false) => {}
                    Err(error) => {
                        let error: &dyn std::error::Error = &error;
                        tracing::error!(signing.id = %row.signing.id, error, "a signing could not be erased");
                        count.failed += 1;
                    }
                }
            }
            match found.rows.last() {
                Some(last) if found.more => {
                    page = Page::oldest(MAX_PAGE_ROWS).after(last.signing.id.uuid());
                }
                _ => return Ok(count),
            }
        }
    }

    /// Finishes an erasure that was cut short.
    pub(crate) async fn finish_erasure(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        let remains: Remains = job.payload()?;
        self.finish_remains(&remains).await?;
        self.store
            .transact(|tx| Box::pin(async move { Ok(jobs::complete(tx, job).await?) }))
            .await
    }

    async fn finish_known_erasure(&self, row: &SigningRow) -> Result<(), WorkflowError> {
        self.finish_remains(&Remains {
            signing: row.signing.id.uuid(),
            data_keys: vec![row.data_key],
            byte_files: byte_files(row),
        })
        .await
    }

    /// Erases keys and bytes for good, then clears away rows that nobody can
    /// read any more. Doing it again is harmless.
    async fn finish_remains(&self, remains: &Remains) -> Result<(), WorkflowError> {
        for key in &remains.data_keys {
            self.keys.erase(*key).await?;
        }
        for file in &remains.byte_files {
            self.files.unlink(*file).await?;
        }
        while self.remove_comments(remains.signing).await? {}
        self.remove_answers(remains.signing).await
    }

    async fn remove_comments(&self, signing: Uuid) -> Result<bool, WorkflowError> {
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx
                        .children::<CommentRow>(&(signing,), COMMENTS_AT_ONCE, Guard::none())
                        .await?;
                    for comment in &found.rows {
                        let key = (comment.signing, comment.id);
                        tx.delete::<CommentRow>(&key).await?;
                    }
                    Ok(found.more)
                })
            })
            .await
    }

    /// Removes the kept answers that tell of something.
    pub(super) async fn remove_answers(&self, subject: Uuid) -> Result<(), WorkflowError> {
        loop {
            let found = self
                .store
                .read(|tx| Box::pin(async move { idempotency::answers_about(tx, subject).await }))
                .await?;
            if found.is_empty() {
                return Ok(());
            }
            for row in &found {
                self.erase_answer(row).await?;
            }
            let found = &found;
            self.store
                .transact(|tx| {
                    Box::pin(async move {
                        for row in found {
                            idempotency::forget(tx, row).await?;
                        }
                        Ok::<_, WorkflowError>(())
                    })
                })
                .await?;
        }
    }

    /// The address that is told when a pending signing is erased.
    async fn webhook_of(&self, row: &SigningRow) -> Result<Option<String>, WorkflowError> {
        if row.signing.status.is_terminal() {
            return Ok(None);
        }
        let key = self.data_key(row.data_key).await?;
        Ok(notices::private_of(&key, row)?.webhook_url)
    }
}

/// A signing that the rows say is erased.
struct Erased {
    remains: Remains,
    /// Whether the last word is to be told.
    told: bool,
}

/// Removes what the rows say about persons, and has the rest removed even if
/// this host dies.
async fn erase_rows(
    tx: &mut Transaction<'_>,
    mut row: SigningRow,
    links: &[String],
    last_word: Option<(Uuid, &DataKey, &str)>,
) -> Result<Erased, WorkflowError> {
    let signing = row.signing.id.uuid();
    let before = row.signing.clone();
    let events = row.signing.end_for_erasure(tx.now());
    change::end_lost_attempt(tx, &before, &row).await?;
    history::record_events(tx, signing, &events).await?;
    let mut data_keys = vec![row.data_key];
    data_keys.extend(drop_notices(tx, signing).await?);
    let mut told = false;
    if let (Some((id, key, target)), Some(kind)) = (last_word, last_event(&events)) {
        let target = target.to_owned();
        notices::tell_of_erased(tx, (id, key), target, &row, kind).await?;
        told = true;
    }
    for link in links {
        tx.delete::<CeremonyLinkRow>(link).await?;
    }
    for party in &mut row.signing.signers {
        tx.delete::<SignerPrivateRow>(&party.id.uuid()).await?;
        party.identity_locked = false;
        if let Some(attempt) = party.attempt {
            forget_code(tx, attempt.uuid()).await?;
        }
    }
    let byte_files = byte_files(&row);
    row.private = None;
    row.detail = None;
    row.erased_at = Some(tx.now());
    tx.put(&row).await?;
    data_keys.extend(batches::count_erased(tx, &row).await?);
    audit::append(tx, signing, "signing.erased", audit::Fields::new()).await?;

    let remains = Remains {
        signing,
        data_keys,
        byte_files,
    };
    let job = NewJob {
        lane: TIMERS,
        kind: FINISH_ERASURE.to_owned(),
        due: tx.now(),
        unique: Some(unique(signing)),
        payload: serde_json::json!(remains),
    };
    jobs::enqueue(tx, job).await?;
    Ok(Erased { remains, told })
}

/// Drops what has not been told yet; gives the keys of it.
async fn drop_notices(tx: &mut Transaction<'_>, signing: Uuid) -> Result<Vec<Uuid>, WorkflowError> {
    let page = Page::oldest(MAX_PAGE_ROWS);
    let found = tx
        .page_by(&NOTICES_OF_SIGNING, &signing, &page, Guard::none())
        .await?;
    let mut keys = Vec::new();
    for notice in found.rows {
        tx.delete::<NoticeRow>(&notice.id).await?;
        keys.push(notice.data_key);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// The code that the signer compared is nobody's business any more.
async fn forget_code(tx: &mut Transaction<'_>, attempt: Uuid) -> Result<(), WorkflowError> {
    if let Some(mut attempt) = tx.get::<AttemptRow>(&attempt).await? {
        attempt.verification_code = None;
        attempt.device_link = None;
        tx.put(&attempt).await?;
    }
    Ok(())
}

fn last_event(events: &[SigningEvent]) -> Option<EventKind> {
    events.iter().find_map(|event| match event {
        SigningEvent::Cancelled => Some(EventKind::Cancelled),
        SigningEvent::Expired => Some(EventKind::Expired),
        _ => None,
    })
}

fn byte_files(row: &SigningRow) -> Vec<Uuid> {
    match row.source {
        Source::Upload => {
            let versions = row.versions.iter().chain(&row.artifact);
            let mut files: Vec<Uuid> = versions.map(|version| version.bytes_id).collect();
            files.sort_unstable();
            files.dedup();
            files
        }
    }
}

fn unique(signing: Uuid) -> String {
    format!("{FINISH_ERASURE}/{signing}")
}
