//! The plugins of a deployment in its records, which all hosts share.

use std::collections::BTreeSet;

use bytes::Bytes;
use jiff::Timestamp;
use parafa_platform::{PendingDeletion, PlatformError, Records, proves_nothing_stored};
use parafa_plugin_host::PluginDigest;
use parafa_store::{StoreError, Transaction};

use crate::error::PluginStoreError;
use crate::folder::Component;
use crate::rows::{self, PluginComponentRow, PluginsRow};
use crate::state::State;

/// Rows and byte files, which all hosts read and change.
#[derive(Clone)]
pub(crate) struct SharedPlugins(Records);

impl SharedPlugins {
    pub(crate) fn new(records: Records) -> Self {
        Self(records)
    }

    pub(crate) async fn now(&self) -> Result<Timestamp, PluginStoreError> {
        Ok(self.0.store.now().await?)
    }

    /// Returns the number of the last change; 0 before the first.
    pub(crate) async fn generation(&self) -> Result<u64, PluginStoreError> {
        let row = self.0.store.get::<PluginsRow>(&()).await?;
        Ok(row.map_or(0, |row| row.generation))
    }

    /// Reads a snapshot of the state; `None` before the first change.
    pub(crate) async fn state(&self) -> Result<Option<State>, PluginStoreError> {
        let store = &self.0.store;
        store
            .transact(|tx| Box::pin(async move { rows::read(tx).await }))
            .await
    }

    /// Changes the state and adds written components in one transaction. Components without a
    /// version are deleted.
    ///
    /// # Errors
    /// The change's own, which leaves the state unchanged.
    pub(crate) async fn change<T: Send>(
        &self,
        components: &[PluginComponentRow],
        change: impl Fn(&mut State, Timestamp) -> Result<T, PluginStoreError> + Send + Sync,
    ) -> Result<(State, T), PluginStoreError> {
        let change = &change;
        let changed = self.0.store.transact(|tx| {
            Box::pin(async move {
                let before = rows::read(tx).await?.unwrap_or_default();
                let mut state = before.clone();
                let done = change(&mut state, tx.now())?;
                let mut gone = PendingDeletion::default();
                for row in components {
                    forget(tx, row.sha256, &mut gone).await?;
                    tx.put(row).await?;
                }
                if state != before || !components.is_empty() {
                    state.generation += 1;
                    rows::write(tx, &before, &state).await?;
                }
                for digest in before.components().difference(&state.components()) {
                    forget(tx, *digest, &mut gone).await?;
                }
                Ok::<_, PluginStoreError>((state, done, gone))
            })
        });
        match changed.await {
            Ok((state, done, gone)) => {
                self.delete(&gone).await;
                Ok((state, done))
            }
            Err(error) => {
                self.discard_unless_stored(components, &error).await;
                Err(error)
            }
        }
    }

    /// Imports the state of one host's folder, unless the records have a state already.
    pub(crate) async fn begin(
        &self,
        found: &State,
        components: &[PluginComponentRow],
    ) -> Result<State, PluginStoreError> {
        let begun = self.0.store.transact(|tx| {
            Box::pin(async move {
                if let Some(state) = rows::read(tx).await? {
                    return Ok((state, false));
                }
                let mut state = found.clone();
                state.generation = 1;
                rows::write(tx, &State::default(), &state).await?;
                for row in components {
                    tx.put(row).await?;
                }
                Ok::<_, PluginStoreError>((state, true))
            })
        });
        match begun.await {
            Ok((state, is_first)) => {
                if !is_first {
                    self.discard(components).await;
                }
                Ok(state)
            }
            Err(error) => {
                self.discard_unless_stored(components, &error).await;
                Err(error)
            }
        }
    }

    /// Adds shipped components that are not stored yet.
    pub(crate) async fn add(
        &self,
        components: &[PluginComponentRow],
    ) -> Result<(), PluginStoreError> {
        let added = self.0.store.transact(|tx| {
            Box::pin(async move {
                let mut superfluous = PendingDeletion::default();
                for row in components {
                    if tx
                        .get::<PluginComponentRow>(&row.sha256.to_string())
                        .await?
                        .is_some()
                    {
                        note(row, &mut superfluous);
                    } else {
                        tx.put(row).await?;
                    }
                }
                Ok::<_, PluginStoreError>(superfluous)
            })
        });
        match added.await {
            Ok(superfluous) => {
                self.delete(&superfluous).await;
                Ok(())
            }
            Err(error) => {
                self.discard_unless_stored(components, &error).await;
                Err(error)
            }
        }
    }

    /// Returns those of these components that are not stored.
    pub(crate) async fn lacks(
        &self,
        digests: BTreeSet<PluginDigest>,
    ) -> Result<BTreeSet<PluginDigest>, PluginStoreError> {
        let mut lacking = BTreeSet::new();
        for digest in digests {
            let key = digest.to_string();
            if self
                .0
                .store
                .get::<PluginComponentRow>(&key)
                .await?
                .is_none()
            {
                lacking.insert(digest);
            }
        }
        Ok(lacking)
    }

    /// Writes a component's file, which stays unreferenced until its row is stored.
    pub(crate) async fn write(
        &self,
        component: &Component,
    ) -> Result<PluginComponentRow, PluginStoreError> {
        let (store, keys, files) = (&self.0.store, &self.0.keys, &self.0.files);
        let signature = component.signature.as_deref();
        let signature = signature.map(|text| String::from_utf8(text.to_vec()));
        let signature = signature.transpose().map_err(anyhow::Error::from)?;
        let (data_key, file) = (store.new_id().await?, store.new_id().await?);
        let key = keys.create(data_key).await.map_err(PlatformError::from)?;
        match files.write(&key, file, component.wasm.clone()).await {
            Ok(file) => Ok(PluginComponentRow {
                sha256: PluginDigest::of(&component.wasm),
                data_key,
                file,
                signature,
            }),
            Err(error) => {
                self.0.discard_key(data_key).await;
                Err(PlatformError::from(error).into())
            }
        }
    }

    /// Reads a stored component.
    ///
    /// # Errors
    /// When it cannot be read now, or its digest differs.
    pub(crate) async fn component(
        &self,
        digest: PluginDigest,
    ) -> Result<Option<Component>, PluginStoreError> {
        let key = digest.to_string();
        let Some(row) = self.0.store.get::<PluginComponentRow>(&key).await? else {
            return Ok(None);
        };
        let key = self.0.data_key(row.data_key).await?;
        let wasm = self.0.files.read(&key, row.file.id).await;
        let wasm = wasm.map_err(PlatformError::from)?;
        if PluginDigest::of(&wasm) != digest {
            return Err(anyhow::anyhow!("the component {digest} is kept as another one").into());
        }
        Ok(Some(Component {
            wasm,
            signature: row.signature.map(Bytes::from),
        }))
    }

    /// Removes components that stayed unreferenced.
    pub(crate) async fn discard(&self, components: &[PluginComponentRow]) {
        let mut gone = PendingDeletion::default();
        for row in components {
            note(row, &mut gone);
        }
        self.delete(&gone).await;
    }

    /// Removes components after a failed transaction that was to store their rows. If the error
    /// does not prove that none was stored, they are left to the sweep.
    async fn discard_unless_stored(
        &self,
        components: &[PluginComponentRow],
        error: &PluginStoreError,
    ) {
        if proves_nothing_stored(error) {
            self.discard(components).await;
        }
    }

    async fn delete(&self, gone: &PendingDeletion) {
        if let Err(error) = self.0.delete(gone).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "unreferenced components are left for the sweep");
        }
    }
}

async fn forget(
    tx: &mut Transaction<'_>,
    digest: PluginDigest,
    gone: &mut PendingDeletion,
) -> Result<(), StoreError> {
    let key = digest.to_string();
    if let Some(row) = tx.get::<PluginComponentRow>(&key).await? {
        tx.delete::<PluginComponentRow>(&key).await?;
        note(&row, gone);
    }
    Ok(())
}

fn note(row: &PluginComponentRow, gone: &mut PendingDeletion) {
    gone.data_keys.push(row.data_key);
    gone.byte_files.push(row.file.id);
}
