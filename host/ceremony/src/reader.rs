//! Ceremonies as seen by their callers.

use std::future::ready;

use bytes::Bytes;
use jiff::Timestamp;
use parafa_domain::{Signer, SignerId};
use parafa_platform::accounts::Caller;
use parafa_platform::{PlatformError, Records};
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::sealing;
use crate::error::CeremonyError;
use crate::records::{
    CeremonyPrivate, CeremonyRow, DocumentVersion, SignerPrivate, SignerPrivateRow,
};

/// A ceremony with its unsealed content, which is empty for an erased one.
#[derive(Clone, Debug)]
pub struct UnsealedCeremony {
    /// The stored row.
    pub row: CeremonyRow,
    /// Its sealed content.
    pub private: CeremonyPrivate,
    /// The parties' content, in the order of `row.ceremony.signers`.
    pub signers: Vec<SignerPrivate>,
    /// Time of reading.
    pub read_at: Timestamp,
}

/// A ceremony in a list. An unreadable one does not prevent the rest: the open
/// part of its row is shown.
#[derive(Clone, Debug)]
pub enum ListedCeremony {
    /// A readable ceremony.
    Unsealed(UnsealedCeremony),
    /// A ceremony whose sealed content cannot be opened.
    Unreadable {
        /// The stored row.
        row: CeremonyRow,
        /// Time of reading.
        read_at: Timestamp,
    },
}

/// A party with its unsealed content.
#[derive(Clone, Debug)]
pub struct UnsealedSigner {
    /// The party.
    pub party: Signer,
    /// Its sealed content.
    pub private: SignerPrivate,
    /// The party's link may still lead to a signature.
    pub can_still_sign: bool,
}

impl UnsealedCeremony {
    /// Returns the ceremony's id.
    pub fn id(&self) -> Uuid {
        self.row.ceremony.id.uuid()
    }

    /// Reads the ceremony within the transaction, with its present `row`.
    pub async fn read(
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: CeremonyRow,
    ) -> Result<Self, CeremonyError> {
        let signers = signer_rows(tx, &row).await?;
        let signers = signers.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
        Self::unsealed(key, row, &signers, tx.now())
    }

    fn unsealed(
        key: &DataKey,
        row: CeremonyRow,
        signers: &[SignerPrivateRow],
        read_at: Timestamp,
    ) -> Result<Self, CeremonyError> {
        let signers = signers.iter();
        Ok(Self {
            private: private_of(key, &row)?,
            signers: signers
                .map(|signer| sealing::open::<SignerPrivate>(key, signer.signer, &signer.private))
                .collect::<Result<_, _>>()?,
            row,
            read_at,
        })
    }
}

impl ListedCeremony {
    /// Returns the stored row.
    pub fn row(&self) -> &CeremonyRow {
        match self {
            Self::Unsealed(opened) => &opened.row,
            Self::Unreadable { row, .. } => row,
        }
    }
}

impl UnsealedSigner {
    /// Reads the party within the transaction.
    pub async fn read(
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        id: SignerId,
    ) -> Result<Self, CeremonyError> {
        let party = row.ceremony.signer(id).ok_or(CeremonyError::NotFound)?;
        Ok(Self {
            party: party.clone(),
            private: signer_private(tx, key, id.uuid()).await?,
            can_still_sign: row.ceremony.can_still_sign(id, tx.now()),
        })
    }
}

/// Reader of ceremonies and their sealed content.
#[derive(Clone)]
pub struct CeremonyReader {
    records: Records,
}

impl CeremonyReader {
    /// Creates a reader of these records.
    pub fn new(records: Records) -> Self {
        Self { records }
    }

    /// Returns the data key of a ceremony; `None` if it does not exist or was
    /// erased.
    pub async fn key(&self, id: Uuid) -> Result<Option<DataKey>, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&id).await?;
        match row.filter(|row| row.erased_at.is_none()) {
            Some(row) => Ok(Some(self.records.data_key(row.data_key).await?)),
            None => Ok(None),
        }
    }

    /// Returns the ceremony, if this caller may see it.
    pub async fn row_of(&self, caller: &Caller, id: Uuid) -> Result<CeremonyRow, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&id).await?;
        row.filter(|row| row.is_of(caller))
            .ok_or(CeremonyError::NotFound)
    }

    /// Returns a ceremony as it is now.
    pub async fn read(&self, caller: &Caller, id: Uuid) -> Result<UnsealedCeremony, CeremonyError> {
        self.row_of(caller, id).await?;
        self.open_anew(id).await
    }

    /// Returns the key of a ceremony that this caller may change.
    pub async fn key_of(&self, caller: &Caller, id: Uuid) -> Result<DataKey, CeremonyError> {
        let row = self.row_of(caller, id).await?;
        self.key_to(&row).await
    }

    /// Returns the key of a ceremony; an erased one is not found, even while it
    /// is being erased.
    pub async fn key_to(&self, row: &CeremonyRow) -> Result<DataKey, CeremonyError> {
        if row.erased_at.is_some() {
            return Err(CeremonyError::NotFound);
        }
        match self.records.data_key(row.data_key).await {
            Err(error) if error.is_missing() => {
                Err(self.gone_or(row.ceremony.id.uuid(), error.into()).await?)
            }
            key => Ok(key?),
        }
    }

    /// Maps to "not found" if the ceremony has been erased by now; else returns
    /// the failure itself.
    pub async fn gone_or(
        &self,
        ceremony: Uuid,
        failure: CeremonyError,
    ) -> Result<CeremonyError, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&ceremony).await?;
        Ok(match row.filter(|row| row.erased_at.is_none()) {
            Some(_) => failure,
            None => CeremonyError::NotFound,
        })
    }

    /// Opens ceremonies, as they are now if they have changed since their rows
    /// were read.
    pub async fn show(&self, rows: Vec<CeremonyRow>) -> Result<Vec<ListedCeremony>, CeremonyError> {
        let read = self
            .records
            .read(|tx| {
                Box::pin(async move {
                    let mut read = Vec::with_capacity(rows.len());
                    for row in rows {
                        let signers = signer_rows(tx, &row).await?;
                        read.push((row, signers));
                    }
                    Ok::<_, CeremonyError>(read)
                })
            })
            .await?;
        let keys: Vec<_> = read.iter().map(|(row, _)| row.data_key).collect();
        let keys = self.records.data_keys(&keys).await;
        let mut shown = Vec::with_capacity(read.len());
        for ((row, signers), key) in read.into_iter().zip(keys) {
            shown.push(self.listed(row, signers, key).await?);
        }
        Ok(shown)
    }

    async fn listed(
        &self,
        row: CeremonyRow,
        signers: Option<Vec<SignerPrivateRow>>,
        key: Result<DataKey, PlatformError>,
    ) -> Result<ListedCeremony, CeremonyError> {
        let id = row.ceremony.id.uuid();
        match self.unseal_or_anew(row, signers, ready(key)).await {
            Err(error)
                if error.is_unreadable() || matches!(error, CeremonyError::Inconsistent(_)) =>
            {
                tracing::error!(
                    signing.id = %id,
                    error = &error as &dyn std::error::Error,
                    "a listed signing cannot be read"
                );
                let row = self.records.store.get::<CeremonyRow>(&id).await?;
                let mut row = row.ok_or(CeremonyError::NotFound)?;
                let read_at = self.records.store.now().await?;
                show_expired(&mut row, read_at);
                Ok(ListedCeremony::Unreadable { row, read_at })
            }
            opened => opened.map(ListedCeremony::Unsealed),
        }
    }

    async fn unseal_or_anew(
        &self,
        row: CeremonyRow,
        signers: Option<Vec<SignerPrivateRow>>,
        key: impl Future<Output = Result<DataKey, PlatformError>> + Send,
    ) -> Result<UnsealedCeremony, CeremonyError> {
        let id = row.ceremony.id.uuid();
        let Some(signers) = signers else {
            return self.open_anew(id).await;
        };
        match self.unseal(row, &signers, key).await {
            Err(error) if error.is_missing() => self.open_anew(id).await,
            opened => opened,
        }
    }

    /// Opens one ceremony.
    pub async fn open(&self, row: CeremonyRow) -> Result<UnsealedCeremony, CeremonyError> {
        let (row, signers) = self
            .records
            .read(|tx| {
                Box::pin(async move {
                    let signers = signer_rows(tx, &row).await?;
                    Ok::<_, CeremonyError>((row, signers))
                })
            })
            .await?;
        let key = self.records.data_key(row.data_key);
        self.unseal_or_anew(row, signers, key).await
    }

    /// Opens a ceremony from rows of one moment. Its key may be erased after the
    /// rows are read; then they are read again and show the erasure.
    async fn open_anew(&self, id: Uuid) -> Result<UnsealedCeremony, CeremonyError> {
        const READINGS: usize = 2;

        let mut failure = CeremonyError::NotFound;
        for _ in 0..READINGS {
            let (row, signers) = self
                .records
                .transact(|tx| {
                    Box::pin(async move {
                        let row = tx.get::<CeremonyRow>(&id).await?;
                        let row = row.ok_or(CeremonyError::NotFound)?;
                        let signers = signer_rows(tx, &row).await?;
                        let signers =
                            signers.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
                        Ok::<_, CeremonyError>((row, signers))
                    })
                })
                .await?;
            let key = self.records.data_key(row.data_key);
            match self.unseal(row, &signers, key).await {
                Err(error) if error.is_missing() => failure = error,
                opened => return opened,
            }
        }
        Err(failure)
    }

    async fn unseal(
        &self,
        row: CeremonyRow,
        signers: &[SignerPrivateRow],
        key: impl Future<Output = Result<DataKey, PlatformError>> + Send,
    ) -> Result<UnsealedCeremony, CeremonyError> {
        let read_at = self.records.store.now().await?;
        let mut opened = if row.erased_at.is_some() {
            UnsealedCeremony {
                private: CeremonyPrivate::default(),
                signers: vec![SignerPrivate::default(); row.ceremony.signers.len()],
                row,
                read_at,
            }
        } else {
            UnsealedCeremony::unsealed(&key.await?, row, signers, read_at)?
        };
        show_expired(&mut opened.row, read_at);
        Ok(opened)
    }

    /// Returns all bytes of a version, for a plugin.
    pub async fn version_bytes(
        &self,
        row: &CeremonyRow,
        version: &DocumentVersion,
    ) -> Result<Bytes, CeremonyError> {
        let key = self.key_to(row).await?;
        let read = self.records.files.read(&key, version.bytes_id).await;
        match read.map_err(CeremonyError::from) {
            Err(error) if error.is_missing() => {
                Err(self.gone_or(row.ceremony.id.uuid(), error).await?)
            }
            read => read,
        }
    }
}

/// Applies a passed deadline before its job does, which then stores it and sends
/// the notices.
fn show_expired(row: &mut CeremonyRow, now: Timestamp) {
    let _ = row.ceremony.expire(now);
}

/// Returns the rows of the parties, in order; `None` if one is missing, because
/// the ceremony has changed since its row was read.
async fn signer_rows(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<Option<Vec<SignerPrivateRow>>, CeremonyError> {
    if row.erased_at.is_some() {
        return Ok(Some(Vec::new()));
    }
    let mut rows = Vec::with_capacity(row.ceremony.signers.len());
    for party in &row.ceremony.signers {
        match tx.get::<SignerPrivateRow>(&party.id.uuid()).await? {
            Some(row) => rows.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(rows))
}

/// Opens the content of a ceremony that is not erased.
pub fn private_of(key: &DataKey, row: &CeremonyRow) -> Result<CeremonyPrivate, CeremonyError> {
    let sealed = row.private.as_ref().ok_or(CeremonyError::NotFound)?;
    sealing::open(key, row.ceremony.id.uuid(), sealed)
}

/// Opens a party's content.
pub async fn signer_private(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    signer: Uuid,
) -> Result<SignerPrivate, CeremonyError> {
    let row = tx.get::<SignerPrivateRow>(&signer).await?;
    let row = row.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
    sealing::open(key, signer, &row.private)
}
