//! Signings as their callers see them.

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

/// A ceremony with all that is known about it; of an erased one nothing is.
#[derive(Clone, Debug)]
pub struct UnsealedCeremony {
    /// As it is stored.
    pub row: CeremonyRow,
    /// What is sealed in it.
    pub private: CeremonyPrivate,
    /// In the order of `row.signing.signers`.
    pub signers: Vec<SignerPrivate>,
    /// As of when.
    pub read_at: Timestamp,
}

/// A ceremony among others. One that cannot be read denies nobody the rest: what
/// stands open in its row is shown.
#[derive(Clone, Debug)]
pub enum ListedCeremony {
    /// It could be read.
    Unsealed(UnsealedCeremony),
    /// What is sealed in it cannot be opened.
    Unreadable {
        /// As it is stored.
        row: CeremonyRow,
        /// As of when.
        read_at: Timestamp,
    },
}

/// A party with all that is known about it.
#[derive(Clone, Debug)]
pub struct UnsealedSigner {
    /// The party.
    pub party: Signer,
    /// What is sealed in it.
    pub private: SignerPrivate,
    /// Whether the party's link may still lead to a signature.
    pub can_still_sign: bool,
}

impl UnsealedCeremony {
    /// The ceremony's id.
    pub fn id(&self) -> Uuid {
        self.row.ceremony.id.uuid()
    }

    /// The ceremony as the transaction sees it, with `row` as it is stored now.
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
    /// As it is stored.
    pub fn row(&self) -> &CeremonyRow {
        match self {
            Self::Unsealed(opened) => &opened.row,
            Self::Unreadable { row, .. } => row,
        }
    }
}

impl UnsealedSigner {
    /// The party as the transaction sees it.
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

/// Reads ceremonies, and opens what is sealed in them.
#[derive(Clone)]
pub struct CeremonyReader {
    records: Records,
}

impl CeremonyReader {
    /// Reads ceremonies in these records.
    pub fn new(records: Records) -> Self {
        Self { records }
    }

    /// The data key of a ceremony; none if there is no such ceremony, or if it
    /// was erased.
    pub async fn key(&self, id: Uuid) -> Result<Option<DataKey>, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&id).await?;
        match row.filter(|row| row.erased_at.is_none()) {
            Some(row) => Ok(Some(self.records.data_key(row.data_key).await?)),
            None => Ok(None),
        }
    }

    /// The ceremony, if this caller may see it.
    pub async fn row_of(&self, caller: &Caller, id: Uuid) -> Result<CeremonyRow, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&id).await?;
        row.filter(|row| row.is_of(caller))
            .ok_or(CeremonyError::NotFound)
    }

    /// A ceremony as it is now.
    pub async fn read(&self, caller: &Caller, id: Uuid) -> Result<UnsealedCeremony, CeremonyError> {
        self.row_of(caller, id).await?;
        self.open_anew(id).await
    }

    /// The key of what is sealed in a ceremony that this caller may change.
    pub async fn key_of(&self, caller: &Caller, id: Uuid) -> Result<DataKey, CeremonyError> {
        let row = self.row_of(caller, id).await?;
        self.key_to(&row).await
    }

    /// The key of what is sealed in a ceremony; an erased one is not found,
    /// also if it is being erased at this moment.
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

    /// Not found, if the ceremony has been erased by now; else the failure
    /// itself.
    pub async fn gone_or(
        &self,
        signing: Uuid,
        failure: CeremonyError,
    ) -> Result<CeremonyError, CeremonyError> {
        let row = self.records.store.get::<CeremonyRow>(&signing).await?;
        Ok(match row.filter(|row| row.erased_at.is_none()) {
            Some(_) => failure,
            None => CeremonyError::NotFound,
        })
    }

    /// Opens what is sealed in ceremonies, as they are now where they have
    /// changed since their rows were read.
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

    /// Opens a ceremony from rows of one moment. Its key may still go between
    /// the rows and itself; then the rows tell of the erasure.
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

    /// All bytes of a version, for a plugin.
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

/// A deadline that has passed is so before its job has come to it, which then
/// stores and tells of it.
fn show_expired(row: &mut CeremonyRow, now: Timestamp) {
    let _ = row.ceremony.expire(now);
}

/// The rows of the parties, in their order; none when one of them is not there,
/// because the ceremony has changed since its row was read.
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

/// What is sealed in a ceremony that is not erased.
pub fn private_of(key: &DataKey, row: &CeremonyRow) -> Result<CeremonyPrivate, CeremonyError> {
    let sealed = row.private.as_ref().ok_or(CeremonyError::NotFound)?;
    sealing::open(key, row.ceremony.id.uuid(), sealed)
}

/// What is sealed about a party.
pub async fn signer_private(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    signer: Uuid,
) -> Result<SignerPrivate, CeremonyError> {
    let row = tx.get::<SignerPrivateRow>(&signer).await?;
    let row = row.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
    sealing::open(key, signer, &row.private)
}
