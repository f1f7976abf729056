//! Rewrapping of data keys by a new master key, during normal operation.
//!
//! A walk goes through all of them in batches and notes its progress after each. It continues
//! there after a restart, or on another host. When a walk has found no key under another master
//! key, and every host must know the new one, the earlier keys may be removed.

use jiff::SignedDuration;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::KeyError;
use parafa_store::{DataKeys, Store, StoreError};
use uuid::Uuid;

use crate::error::PlatformError;
use crate::jobs::{TIMERS, hold, put_off};
use crate::records::Records;

/// Kind of the job.
pub const REWRAP: &str = "rewrap-data-keys";

/// Data keys per note of progress.
const BATCH: usize = 256;
/// Interval between walks in a shared store, for keys wrapped by hosts that did not know the new
/// master key yet.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// Interval between walks of a single server, for keys in quarantine: that lasts a day, and a walk
/// reads every data key.
const AGAIN_ALONE_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// Schedules the job, for any host, if more than one master key is configured.
///
/// # Errors
/// When the store fails.
pub async fn schedule(records: &Records) -> Result<(), StoreError> {
    if !records.master.has_others() {
        return Ok(());
    }
    let scheduled = records.store.transact(|tx| {
        Box::pin(async move {
            let job = NewJob {
                lane: TIMERS,
                kind: REWRAP.to_owned(),
                due: tx.now(),
                unique: Some(REWRAP.to_owned()),
                payload: serde_json::Value::Null,
            };
            jobs::enqueue(tx, job).await
        })
    });
    scheduled.await.map(|_| ())
}

/// Walks through all data keys, and schedules another walk unless it was the last.
///
/// # Errors
/// When the store fails, or the storage of data keys is unavailable.
pub async fn run(records: &Records, job: &mut ClaimedJob) -> Result<(), PlatformError> {
    let store = &records.store;
    if store.key_rotation().await?.is_none() {
        return Ok(end(store, job).await?);
    }
    store.follow_master_key(&records.master).await?;
    let walks = async {
        match walk(store, &records.keys, usize::MAX).await? {
            // A second walk does not find again what the first one rewrapped.
            Walked::ToRepeat => walk(store, &records.keys, usize::MAX).await,
            walked => Ok(walked),
        }
    };
    let walked = hold(store, job, walks).await?;
    match walked? {
        Walked::Complete => {
            tracing::info!(
                "every data key is wrapped by the master key: earlier master keys may be removed, and secrets.other_master_key_files emptied"
            );
            Ok(end(store, job).await?)
        }
        Walked::CutShort | Walked::ToRepeat => {
            let pause = match store.is_shared() {
                true => AGAIN_AFTER,
                false => AGAIN_ALONE_AFTER,
            };
            let due = shifted(store.now().await?, pause);
            Ok(put_off(store, job, due).await?)
        }
    }
}

/// Outcome of a walk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Walked {
    /// No replaced key is needed any more.
    Complete,
    /// The limit was reached; the next walk continues there.
    CutShort,
    /// Keys were found, or may have been missed.
    ToRepeat,
}

/// Continues an interrupted walk through at most this many data keys, and rewraps those under
/// another master key than the store's.
///
/// # Errors
/// When the store fails, or the storage of data keys is unavailable.
pub async fn walk(
    store: &Store,
    keys: &DataKeys,
    mut most: usize,
) -> Result<Walked, PlatformError> {
    let Some(rotation) = store.key_rotation().await? else {
        return Ok(Walked::Complete);
    };
    // Keys now in quarantine are skipped, and may be back before the walk ends.
    let passed_over = keys.out_of_reach().await?;
    let ids = keys.ids().await?;
    let begin = ids.partition_point(|id| rotation.after().is_some_and(|after| *id <= after));
    let mut left = &ids[begin..];
    let mut found = u64::try_from(passed_over).unwrap_or(u64::MAX);
    loop {
        let (batch, later) = left.split_at(left.len().min(BATCH).min(most));
        let Some(last) = batch.last() else {
            break;
        };
        found = found.saturating_add(rewrap(keys, batch).await?);
        let pending = u64::try_from(later.len()).unwrap_or(u64::MAX);
        store.note_rewrapped(*last, found, pending).await?;
        found = 0;
        most -= batch.len();
        left = later;
    }
    if !left.is_empty() {
        return Ok(Walked::CutShort);
    }
    let out_of_reach = keys.out_of_reach().await?.max(passed_over);
    let ended = store.end_rewrapping(out_of_reach).await?;
    let is_complete = ended.is_none_or(|rotation| rotation.is_complete());
    Ok(match is_complete {
        true => Walked::Complete,
        false => Walked::ToRepeat,
    })
}

/// Rewraps these keys; returns the number that needed it. A key that no master key opens is
/// unchanged: its users get an error that it is damaged.
async fn rewrap(keys: &DataKeys, batch: &[Uuid]) -> Result<u64, KeyError> {
    let mut rewrapped = 0;
    for id in batch {
        match keys.rewrap(*id).await {
            Ok(was_another) => rewrapped += u64::from(was_another),
            Err(KeyError::Damaged { id }) => {
                tracing::warn!(key = %id, "no configured master key opens a data key");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(rewrapped)
}

async fn end(store: &Store, job: &ClaimedJob) -> Result<(), StoreError> {
    store.transact(|tx| Box::pin(jobs::complete(tx, job))).await
}
