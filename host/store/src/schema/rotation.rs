//! Rotation of a store's master key.
//!
//! The schema row identifies the store's key. A server configured with that key and a new one
//! replaces it. It rewraps the root secret at once, in the same row, and then each data key, in
//! walks through all of them.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{SCHEMA_VERSION, SchemaRow, keyed, unusable};
use crate::clock::shifted;
use crate::error::StoreError;
use crate::keys::MasterKey;
use crate::store::Store;
use crate::transaction::Transaction;

/// Time that hosts that share a store may still wrap by a replaced key: they check every minute
/// which one is active.
const OTHERS_FOLLOW_WITHIN: SignedDuration = SignedDuration::from_mins(5);

/// The replaced master keys of a store, and the progress of rewrapping its data keys.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KeyRotation {
    /// Check values of all replaced keys. None of them becomes the store's again.
    replaced: Vec<String>,
    /// Check values of those that may still wrap a data key.
    needed: Vec<String>,
    /// Time of the last replacement.
    since: Timestamp,
    /// Beginning of the present walk through all data keys.
    began: Timestamp,
    /// Last data key of that walk so far.
    after: Option<Uuid>,
    /// Data keys of the walk that were under another key and rewrapped, or that were skipped.
    found: u64,
    /// Data keys left in the walk; unknown until they are counted.
    pending: Option<u64>,
}

/// The key that a store is under.
pub(super) enum Standing {
    /// The one at this position of the configuration.
    Under(usize),
    /// The one at this position, to be replaced by the configured one.
    ToReplace(usize),
}

impl KeyRotation {
    fn begun(replaced: Vec<String>, needed: Vec<String>, now: Timestamp) -> Self {
        Self {
            replaced,
            needed,
            since: now,
            began: now,
            after: None,
            found: 0,
            pending: None,
        }
    }

    /// Begins a rotation from all keys except the configured one, if there are others. Without the
    /// schema row, it is unknown which of them are still needed.
    pub(super) fn of_what_is_left(master: &MasterKey, now: Timestamp) -> Option<Self> {
        let others = master.other_check_values();
        (!others.is_empty()).then(|| Self::begun(others.clone(), others, now))
    }

    /// Returns whether no data key is wrapped by a replaced key any more.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.needed.is_empty()
    }

    /// Returns the number of data keys that a replaced key may still wrap: those not checked, and
    /// at least 1 until it is certain that there is none.
    #[must_use]
    pub fn pending(&self) -> u64 {
        match self.is_complete() {
            true => 0,
            false => self.pending.unwrap_or(1).max(1),
        }
    }

    /// Returns the last data key checked by an interrupted walk.
    #[must_use]
    pub fn after(&self) -> Option<Uuid> {
        self.after
    }

    fn walk_anew(&mut self, now: Timestamp) {
        self.began = now;
        self.after = None;
        self.found = 0;
    }
}

impl SchemaRow {
    /// Returns the position of the store's key in the configuration.
    pub(super) fn position(&self, master: &MasterKey) -> Result<usize, StoreError> {
        let position = master.position_of(&self.key_check);
        position.ok_or(match master.has_others() {
            true => StoreError::NoMasterKeyFits,
            false => StoreError::WrongMasterKey,
        })
    }

    /// Returns the store's key. Refuses a configuration that lacks a needed one.
    pub(super) fn standing(&self, master: &MasterKey) -> Result<Standing, StoreError> {
        let position = self.position(master)?;
        let rotation = self.rotation.as_ref();
        let mut needed = rotation.iter().flat_map(|rotation| &rotation.needed);
        if needed.any(|check| master.position_of(check).is_none()) {
            return Err(StoreError::EarlierMasterKeyMissing);
        }
        let configured = master.check_value();
        let was_replaced = rotation.is_some_and(|it| it.replaced.contains(&configured));
        Ok(match position {
            0 => Standing::Under(0),
            // Another host already has a new key that is not configured here yet.
            _ if was_replaced => Standing::Under(position),
            _ => Standing::ToReplace(position),
        })
    }

    /// Moves the store to the configured key.
    pub(super) fn replace_key(
        &mut self,
        position: usize,
        master: &MasterKey,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let root = master.rewrapped_root(position, self.root.as_ref());
        self.root = Some(root.map_err(|error| unusable(&error))?);
        self.version = SCHEMA_VERSION;
        let before = std::mem::replace(&mut self.key_check, master.check_value());
        let earlier = self.rotation.take();
        let (mut replaced, mut needed) = earlier
            .map(|earlier| (earlier.replaced, earlier.needed))
            .unwrap_or_default();
        replaced.push(before.clone());
        needed.push(before);
        self.rotation = Some(KeyRotation::begun(replaced, needed, now));
        Ok(())
    }
}

impl Store {
    /// Returns the replaced master keys of the store, if any.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn key_rotation(&self) -> Result<Option<KeyRotation>, StoreError> {
        let row: Option<SchemaRow> = self.get(&()).await?;
        Ok(row.and_then(|row| row.rotation))
    }

    /// Makes `master` wrap by the store's present key, which another host may have replaced.
    ///
    /// # Errors
    /// [`StoreError::NoMasterKeyFits`] where that key is not configured here; an engine failure.
    pub async fn follow_master_key(&self, master: &MasterKey) -> Result<(), StoreError> {
        keyed(self, master).await.map(|_| ())
    }

    /// Notes the progress of a walk: the data keys rewrapped or skipped, and those left after
    /// `last`.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn note_rewrapped(
        &self,
        last: Uuid,
        found: u64,
        pending: u64,
    ) -> Result<(), StoreError> {
        self.change_rotation(&|rotation: &mut KeyRotation, _: Timestamp| {
            rotation.after = Some(last);
            rotation.found = rotation.found.saturating_add(found);
            rotation.pending = Some(pending);
        })
        .await
        .map(|_| ())
    }

    /// Ends a walk through all data keys, with the number that it could not reach, and begins the
    /// next one. If the walk found none under replaced keys, those keys are no longer needed.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn end_rewrapping(
        &self,
        out_of_reach: usize,
    ) -> Result<Option<KeyRotation>, StoreError> {
        let is_shared = self.is_shared();
        self.change_rotation(&|rotation: &mut KeyRotation, now: Timestamp| {
            let all_follow = shifted(rotation.since, OTHERS_FOLLOW_WITHIN);
            let is_clean = rotation.found == 0 && out_of_reach == 0;
            if is_clean && (!is_shared || rotation.began >= all_follow) {
                rotation.needed.clear();
            }
            rotation.pending = Some(u64::try_from(out_of_reach).unwrap_or(u64::MAX));
            rotation.walk_anew(now);
        })
        .await
    }

    async fn change_rotation(
        &self,
        change: &(dyn Fn(&mut KeyRotation, Timestamp) + Sync),
    ) -> Result<Option<KeyRotation>, StoreError> {
        self.transact(|tx| Box::pin(changed(tx, change))).await
    }
}

async fn changed(
    tx: &mut Transaction<'_>,
    change: &(dyn Fn(&mut KeyRotation, Timestamp) + Sync),
) -> Result<Option<KeyRotation>, StoreError> {
    let row: Option<SchemaRow> = tx.get(&()).await?;
    let Some(mut row) = row else {
        return Ok(None);
    };
    let now = tx.now();
    if let Some(rotation) = &mut row.rotation {
        change(rotation, now);
        tx.put(&row).await?;
    }
    Ok(row.rotation)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::bytes::Bytes;

    use super::*;
    use crate::engine::{Commit, Engine};
    use crate::{ManualClock, MemoryEngine, StoreMode, schema};

    #[tokio::test]
    async fn what_is_left_of_a_store_needs_all_keys_until_none_is_wrapped_by_another() {
        let now = "2026-03-01T08:00:00Z".parse().expect("a time");
        let engine = MemoryEngine::new(Arc::new(ManualClock::new(now)));
        let [next, old] = [8, 7].map(|byte| move || MasterKey::from_bytes([byte; 32]));
        let both = next().with_others([old()]);
        let row = (Bytes::from_static(b"row"), Bytes::from_static(b"value"));
        let left = Commit {
            puts: vec![row],
            ..Commit::default()
        };
        engine.commit(left).await.expect("a commit");
        let engine: Arc<dyn Engine> = Arc::new(engine);

        let opened = Store::open_what_is_left(engine.clone(), &both, StoreMode::Demo).await;

        let store = opened.expect("accepted");
        let alone = Store::open(engine, &next(), StoreMode::Demo).await;
        assert!(matches!(alone, Err(StoreError::EarlierMasterKeyMissing)));
        let ended = store.end_rewrapping(0).await.expect("ended").expect("one");
        assert!(ended.is_complete());
        let row = store.engine().get(&schema::key()).await.expect("read");
        let known = row.as_ref().map(|row| &row.value[..]);
        schema::check(known, &next(), StoreMode::Demo).expect("the next key is enough");
    }
}
