//! Authentication of API keys, and the day of their last use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use parafa_api_http::Credentials;
use parafa_store::keys::hash_token;
use parafa_store::{Store, StoreError, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::{Caller, KEY_BY_HASH, Product, TenantRow, TenantStatus, UserRow};
use crate::networks::Networks;

/// The day of a key's last use. A separate row, which calls do not read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeyUseRow {
    /// The key.
    pub key: Uuid,
    /// The day, in UTC.
    pub day: Date,
}

plain_table!(KeyUseRow: "key_uses" by Uuid, |row| row.key);

/// API keys of a deployment. Clones share the noted uses.
#[derive(Clone)]
pub struct Keys {
    store: Store,
    /// The last noted day of each key, in this process.
    noted: Arc<Mutex<HashMap<Uuid, Date>>>,
}

impl Keys {
    /// Creates the service for this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self {
            store,
            noted: Arc::default(),
        }
    }

    /// Returns the caller of a key; `None` when it, its user or its workspace is not active, or
    /// when it is a key for another product.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn caller(
        &self,
        credentials: &Credentials,
        product: Product,
    ) -> Result<Option<Caller>, StoreError> {
        let caller = self.caller_of_any(credentials).await?;
        Ok(caller.filter(|caller| caller.product == product))
    }

    /// Like [`caller`](Self::caller), for a key of any product.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn caller_of_any(
        &self,
        credentials: &Credentials,
    ) -> Result<Option<Caller>, StoreError> {
        let Credentials::Bearer(key) = credentials else {
            return Ok(None);
        };
        let hash = hash_token(key.expose()).to_string();
        let found = self.store.read(|tx| {
            Box::pin(async move {
                let now = tx.now();
                let found = tx.find(&KEY_BY_HASH, &hash).await?;
                let Some(key) = found.filter(|key| key.works(now)) else {
                    return Ok(None);
                };
                let role = tx
                    .get::<UserRow>(&key.user)
                    .await?
                    .and_then(|user| user.role);
                let tenant = tx.get::<TenantRow>(&key.tenant).await?;
                let active = tenant.is_some_and(|tenant| tenant.status == TenantStatus::Active);
                let caller = role.filter(|_| active).map(|role| Caller {
                    key: key.id,
                    product: key.product,
                    tenant: key.tenant,
                    mode: key.mode,
                    role,
                    networks: Networks::of(&key.networks),
                    claim: None,
                });
                Ok::<_, StoreError>(caller.map(|caller| (caller, now)))
            })
        });
        let Some((caller, now)) = found.await? else {
            return Ok(None);
        };
        self.note_use(caller.key, now);
        Ok(Some(caller))
    }

    /// Notes the use of a key, once a day and in the background.
    fn note_use(&self, key: Uuid, now: Timestamp) {
        let day = now.to_zoned(TimeZone::UTC).date();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.insert(key, day) == Some(day) {
            return;
        }
        drop(noted);
        let keys = self.clone();
        tokio::spawn(async move {
            if let Err(error) = keys.store_use(key, day).await {
                let error: &dyn std::error::Error = &error;
                tracing::debug!(key.id = %key, error, "the use of a key is noted later");
                let mut noted = keys.noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.remove(&key);
            }
        });
    }

    async fn store_use(&self, key: Uuid, day: Date) -> Result<(), StoreError> {
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let known = tx.get::<KeyUseRow>(&key).await?;
                    if known.is_none_or(|known| known.day < day) {
                        tx.put(&KeyUseRow { key, day }).await?;
                    }
                    Ok::<_, StoreError>(())
                })
            })
            .await
    }
}
