//! Data keys after the master key was replaced: each is wrapped by the new one, while all else
//! goes on.
//!
//! A walk goes through all of them in batches and notes after each how far it is, so that it goes
//! on there after a restart, or on another host. When a walk has found none that another key
//! wraps, and every host is bound to know the new one, the earlier keys may be removed.

use jiff::SignedDuration;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::KeyError;
use parafa_store::{DataKeys, Store, StoreError};
use uuid::Uuid;

use crate::error::PlatformError;
use crate::jobs::{TIMERS, hold, put_off};
use crate::records::Records;

/// The kind of the job.
pub const REWRAP: &str = "rewrap-data-keys";

/// Data keys that are looked at before it is noted how far that is.
const BATCH: usize = 256;
/// When hosts that share a store walk again, for what those wrapped that did not know the new key
/// yet.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// When a server that has the store alone does, for what waits in quarantine: that takes a day, and
/// a walk reads every data key.
const AGAIN_ALONE_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// Has the data keys looked through, by whichever host, where other master keys than one are
/// configured.
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

/// Walks through all data keys, and again later on unless that was the last walk.
///
/// # Errors
/// When the store fails, or what keeps the data keys is away.
pub async fn run(records: &Records, job: &mut ClaimedJob) -> Result<(), PlatformError> {
    let store = &records.store;
    if store.key_rotation().await?.is_none() {
        return Ok(end(store, job).await?);
    }
    store.follow_master_key(&records.master).await?;
    let walks = async {
        match walk(store, &records.keys, usize::MAX).await? {
            // What it has found, the next one does not find again.
            Walked::ToRepeat => walk(store, &records.keys, usize::MAX).await,
            walked => Ok(walked),
        }
    };
    let walked = hold(store, job, walks).await?;
    match walked? {
        Walked::Complete => {
            tracing::info!(
                "every data key is wrapped by the master key: the keys before it may be removed, and secrets.other_master_key_files emptied"
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

/// How a walk came to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Walked {
    /// No key that was replaced is needed any more.
    Complete,
    /// It has looked at as many as it was to; the next one goes on there.
    CutShort,
    /// It has found something, or may have missed something.
    ToRepeat,
}

/// Goes through the data keys from where the last walk was cut short, so many at most, and wraps
/// those anew that another key than the store's wraps.
///
/// # Errors
/// When the store fails, or what keeps the data keys is away.
pub async fn walk(
    store: &Store,
    keys: &DataKeys,
    mut most: usize,
) -> Result<Walked, PlatformError> {
    let Some(rotation) = store.key_rotation().await? else {
        return Ok(Walked::Complete);
    };
    // What waits in quarantine now is passed over, and may be back before the walk ends.
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

/// How many of these were wrapped anew. One that no key opens stays as it is: whoever needs it is
/// told that it is damaged.
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
