//! Bulk moves of jobs within their lane: at a start, and when the clock is set back.

use ::bytes::Bytes;
use jiff::SignedDuration;
use uuid::Uuid;

use super::{JobRow, Lane};
use crate::clock::shifted;
use crate::engine::{Commit, CommitOutcome, Direction, MAX_SCAN_ENTRIES, Scan};
use crate::error::StoreError;
use crate::key::{Key, past_prefix};
use crate::store::Store;
use crate::table::layout;
use crate::transaction::Transaction;

/// Jobs moved in one transaction.
const JOBS_MOVED_AT_ONCE: usize = 256;

impl Store {
    /// Releases every claim of a lane made for at most `lease`, as if the job were unclaimed;
    /// returns their number. For the only process on the store: earlier claimants are dead, and
    /// their leases need not be waited for. A live worker finds its jobs lost. A claim made
    /// before the clock was set back ends later than `lease`: [`SignedDuration::MAX`] finds it
    /// too, and reads every job of the lane.
    ///
    /// # Errors
    /// An engine failure. Unreadable jobs are skipped.
    pub async fn release_claims(
        &self,
        lane: Lane,
        lease: SignedDuration,
    ) -> Result<usize, StoreError> {
        let engine = self.engine();
        let mut start = layout::queue(lane.0);
        // No claim is at a later position, and there may be very many jobs that are.
        let mut end = start.clone();
        let lease = lease.saturating_add(SignedDuration::from_millis(1));
        let just_past = shifted(engine.now().await?, lease);
        just_past.encode(&mut end);
        let mut released = 0;
        loop {
            let scan = Scan {
                start: start.clone(),
                end: end.clone(),
                direction: Direction::Ascending,
                limit: MAX_SCAN_ENTRIES,
            };
            let entries = engine.scan(scan).await?;
            let Some(last) = entries.last() else {
                return Ok(released);
            };
            let mut next = last.key.to_vec();
            next.push(0);
            let mut tx = self.begin().await?;
            let mut commit = Commit::default();
            for entry in entries {
                let id = entry.key.last_chunk().copied().map(Uuid::from_bytes);
                let id = id.unwrap_or_default();
                let row = match tx.get::<JobRow>(&id).await {
                    Ok(Some(row)) => row,
                    Ok(None) => continue,
                    Err(StoreError::Decode { source, .. }) => {
                        tracing::error!(job = %id, error = %source, "a job cannot be read");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let home = Bytes::from(lane.entry(row.due, row.id));
                if home != entry.key {
                    commit.puts.push((home, entry.stored.value));
                    commit
                        .expectations
                        .push((entry.key.clone(), Some(entry.stored.version)));
                    commit.deletes.push(entry.key);
                }
            }
            let moved = commit.deletes.len();
            if moved > 0 && !matches!(engine.commit(commit).await?, CommitOutcome::Committed) {
                // Another process is alive after all; the remaining claims are read again.
                continue;
            }
            released += moved;
            start = next;
        }
    }

    /// Restarts the wait of every unclaimed job whose due time was set when the clock showed a
    /// later time than now; returns their number. For a lane whose jobs wait for a duration, not
    /// for a fixed time, after the clock was set back. Repeating it changes nothing.
    ///
    /// # Errors
    /// An engine failure. Unreadable jobs are skipped.
    pub async fn follow_clock_back(&self, lane: Lane) -> Result<usize, StoreError> {
        let engine = self.engine();
        let queue = layout::queue(lane.0);
        let end = past_prefix(&queue);
        // Jobs already due wait for no clock.
        let mut start = queue;
        let just_past = shifted(engine.now().await?, SignedDuration::from_millis(1));
        just_past.encode(&mut start);
        let mut moved = 0;
        loop {
            let scan = Scan {
                start,
                end: end.clone(),
                direction: Direction::Ascending,
                limit: JOBS_MOVED_AT_ONCE,
            };
            let entries = engine.scan(scan).await?;
            let Some(last) = entries.last() else {
                return Ok(moved);
            };
            start = last.key.to_vec();
            start.push(0);
            let ids = entries.iter().map(|entry| entry.key.last_chunk().copied());
            let ids: Vec<Uuid> = ids.flatten().map(Uuid::from_bytes).collect();
            let ids = ids.as_slice();
            moved += self
                .transact(|tx| {
                    Box::pin(async move {
                        let mut moved = 0;
                        for id in ids {
                            moved += usize::from(bring_along(tx, lane, *id).await?);
                        }
                        Ok::<_, StoreError>(moved)
                    })
                })
                .await?;
        }
    }
}

async fn bring_along(tx: &mut Transaction<'_>, lane: Lane, id: Uuid) -> Result<bool, StoreError> {
    let mut row = match tx.get::<JobRow>(&id).await {
        Ok(Some(row)) => row,
        Ok(None) => return Ok(false),
        Err(StoreError::Decode { source, .. }) => {
            tracing::error!(job = %id, error = %source, "a job cannot be read");
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    let Some(due) = row.due_anew(tx.now()) else {
        return Ok(false);
    };
    let entry = lane.entry(row.due, row.id);
    // A claim has moved the entry.
    let Some(claims) = tx.read(entry.clone()).await? else {
        return Ok(false);
    };
    row.set_due(due, tx.now());
    let new_entry = lane.entry(row.due, row.id);
    if new_entry != entry {
        tx.write(entry, None)?;
        tx.write(new_entry, Some(claims))?;
    }
    tx.put(&row).await?;
    Ok(true)
}
