//! Signings as their callers see them.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use parafa_domain::{Signer, SignerId, SigningStatus};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_store::keys::DataKey;
use parafa_store::{Guard, Page, Transaction};
use uuid::Uuid;

use super::{notices, sealing};
use crate::error::WorkflowError;
use crate::records::{
    DocumentVersion, SIGNINGS_BY_STATUS, SIGNINGS_OF_WORKSPACE, SignerPrivate, SignerPrivateRow,
    SigningPrivate, SigningRow, status_number,
};

/// Data keys, each in a file, that one page reads at the same time.
const KEYS_AT_ONCE: usize = 16;

/// A signing with all that is known about it; of an erased one nothing is.
#[derive(Clone, Debug)]
pub struct OpenedSigning {
    /// As it is stored.
    pub row: SigningRow,
    /// What is sealed in it.
    pub private: SigningPrivate,
    /// In the order of `row.signing.signers`.
    pub signers: Vec<SignerPrivate>,
    /// As of when.
    pub read_at: Timestamp,
}

/// A signing among others. One that cannot be read denies nobody the rest: what
/// stands open in its row is shown.
#[derive(Clone, Debug)]
pub enum Shown {
    /// It could be read.
    Opened(OpenedSigning),
    /// What is sealed in it cannot be opened.
    Unreadable {
        /// As it is stored.
        row: SigningRow,
        /// As of when.
        read_at: Timestamp,
    },
}

/// A party with all that is known about it.
#[derive(Clone, Debug)]
pub struct OpenedSigner {
    /// The party.
    pub party: Signer,
    /// What is sealed in it.
    pub private: SignerPrivate,
    /// Whether the party's link may still lead to a signature.
    pub can_still_sign: bool,
}

/// Which signings a list shows.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// Only signings in this state.
    pub status: Option<SigningStatus>,
    /// Most rows of the page.
    pub limit: usize,
    /// The cursor of the page before.
    pub after: Option<Uuid>,
}

/// A page of signings.
#[derive(Debug)]
pub struct Listed {
    /// The signings.
    pub signings: Vec<Shown>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Uuid>,
}

impl OpenedSigning {
    /// The signing's id.
    pub fn id(&self) -> Uuid {
        self.row.signing.id.uuid()
    }

    /// The signing as the transaction sees it, with `row` as it is stored now.
    pub(super) async fn read(
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: SigningRow,
    ) -> Result<Self, WorkflowError> {
        let signers = signer_rows(tx, &row).await?;
        let signers = signers.ok_or(WorkflowError::Inconsistent("a signer has no row"))?;
        Self::unsealed(key, row, &signers, tx.now())
    }

    fn unsealed(
        key: &DataKey,
        row: SigningRow,
        signers: &[SignerPrivateRow],
        read_at: Timestamp,
    ) -> Result<Self, WorkflowError> {
        let signers = signers.iter();
        Ok(Self {
            private: notices::private_of(key, &row)?,
            signers: signers
                .map(|signer| sealing::open_signer(key, signer.signer, &signer.private))
                .collect::<Result<_, _>>()?,
            row,
            read_at,
        })
    }
}

impl Shown {
    /// As it is stored.
    pub fn row(&self) -> &SigningRow {
        match self {
            Self::Opened(opened) => &opened.row,
            Self::Unreadable { row, .. } => row,
        }
    }
}

impl OpenedSigner {
    /// The party as the transaction sees it.
    pub(super) async fn read(
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &SigningRow,
        id: SignerId,
    ) -> Result<Self, WorkflowError> {
        let party = row.signing.signer(id).ok_or(WorkflowError::NotFound)?;
        Ok(Self {
            party: party.clone(),
            private: notices::signer_private(tx, key, id.uuid()).await?,
            can_still_sign: row.signing.can_still_sign(id, tx.now()),
        })
    }
}

/// Reads signings, and opens what is sealed in them.
#[derive(Clone)]
pub struct SigningReader {
    records: Records,
}

impl SigningReader {
    /// Puts it together.
    pub fn new(records: Records) -> Self {
        Self { records }
    }

    /// The data key of a signing; none if there is no such signing, or if it
    /// was erased.
    pub(crate) async fn signing_key(&self, id: Uuid) -> Result<Option<DataKey>, WorkflowError> {
        let row = self.records.store.get::<SigningRow>(&id).await?;
        match row.filter(|row| row.erased_at.is_none()) {
            Some(row) => Ok(Some(self.records.data_key(row.data_key).await?)),
            None => Ok(None),
        }
    }

    /// The signing, if this caller may see it.
    pub async fn signing_of(&self, caller: &Caller, id: Uuid) -> Result<SigningRow, WorkflowError> {
        let row = self.records.store.get::<SigningRow>(&id).await?;
        row.filter(|row| row.tenant == caller.tenant && row.mode == caller.mode)
            .ok_or(WorkflowError::NotFound)
    }

    /// A signing as it is now.
    pub async fn read_signing(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<OpenedSigning, WorkflowError> {
        self.signing_of(caller, id).await?;
        self.open_anew(id).await
    }

    /// A page of the caller's signings, newest first.
    pub async fn list_signings(
        &self,
        caller: &Caller,
        listing: Listing,
    ) -> Result<Listed, WorkflowError> {
        if let Some(cursor) = listing.after {
            self.signing_of(caller, cursor)
                .await
                .map_err(|error| match error {
                    WorkflowError::NotFound => WorkflowError::UnknownCursor,
                    other => other,
                })?;
        }
        let Caller { tenant, mode, .. } = *caller;
        let page = Page {
            after: listing.after,
            ..Page::newest(listing.limit)
        };
        let paged = self
            .records
            .store
            .read(|tx| {
                Box::pin(async move {
                    let live = mode == KeyMode::Live;
                    match listing.status {
                        None => {
                            tx.page_by(
                                &SIGNINGS_OF_WORKSPACE,
                                &(tenant, live),
                                &page,
                                Guard::none(),
                            )
                            .await
                        }
                        Some(status) => {
                            let key = (tenant, live, status_number(status));
                            tx.page_by(&SIGNINGS_BY_STATUS, &key, &page, Guard::none())
                                .await
                        }
                    }
                })
            })
            .await?;
        let last = paged.rows.last().map(|row| row.signing.id.uuid());
        let mut signings = self.show_signings(paged.rows).await?;
        // One whose deadline has just passed may stand under its old status.
        signings.retain(|shown| {
            let status = shown.row().signing.status;
            listing.status.is_none_or(|wanted| wanted == status)
        });
        Ok(Listed {
            signings,
            next: last.filter(|_| paged.more),
        })
    }

    /// The key of what is sealed in a signing that this caller may change.
    pub(super) async fn key_of(&self, caller: &Caller, id: Uuid) -> Result<DataKey, WorkflowError> {
        let row = self.signing_of(caller, id).await?;
        self.key_to(&row).await
    }

    /// The key of what is sealed in a signing; an erased one is not found,
    /// also if it is being erased at this moment.
    pub(super) async fn key_to(&self, row: &SigningRow) -> Result<DataKey, WorkflowError> {
        if row.erased_at.is_some() {
            return Err(WorkflowError::NotFound);
        }
        match self.records.data_key(row.data_key).await {
            Err(error) if error.is_missing() => {
                Err(self.gone_or(row.signing.id.uuid(), error.into()).await?)
            }
            key => Ok(key?),
        }
    }

    /// Not found, if the signing has been erased by now; else the failure
    /// itself.
    pub(super) async fn gone_or(
        &self,
        signing: Uuid,
        failure: WorkflowError,
    ) -> Result<WorkflowError, WorkflowError> {
        let row = self.records.store.get::<SigningRow>(&signing).await?;
        Ok(match row.filter(|row| row.erased_at.is_none()) {
            Some(_) => failure,
            None => WorkflowError::NotFound,
        })
    }

    /// Opens what is sealed in signings, as they are now where they have
    /// changed since their rows were read.
    pub async fn show_signings(&self, rows: Vec<SigningRow>) -> Result<Vec<Shown>, WorkflowError> {
        let read = self
            .records
            .store
            .read(|tx| {
                Box::pin(async move {
                    let mut read = Vec::with_capacity(rows.len());
                    for row in rows {
                        let signers = signer_rows(tx, &row).await?;
                        read.push((row, signers));
                    }
                    Ok::<_, WorkflowError>(read)
                })
            })
            .await?;
        let shown = read
            .into_iter()
            .map(|(row, signers)| self.show(row, signers));
        stream::iter(shown)
            .buffered(KEYS_AT_ONCE)
            .try_collect()
            .await
    }

    async fn show(
        &self,
        row: SigningRow,
        signers: Option<Vec<SignerPrivateRow>>,
    ) -> Result<Shown, WorkflowError> {
        let id = row.signing.id.uuid();
        match self.unseal_or_anew(row, signers).await {
            Err(error)
                if error.is_unreadable() || matches!(error, WorkflowError::Inconsistent(_)) =>
            {
                tracing::error!(
                    signing.id = %id,
                    error = &error as &dyn std::error::Error,
                    "a signing is listed unread"
                );
                let row = self.records.store.get::<SigningRow>(&id).await?;
                let mut row = row.ok_or(WorkflowError::NotFound)?;
                let read_at = self.records.store.now().await?;
                show_expired(&mut row, read_at);
                Ok(Shown::Unreadable { row, read_at })
            }
            opened => opened.map(Shown::Opened),
        }
    }

    async fn unseal_or_anew(
        &self,
        row: SigningRow,
        signers: Option<Vec<SignerPrivateRow>>,
    ) -> Result<OpenedSigning, WorkflowError> {
        let id = row.signing.id.uuid();
        let Some(signers) = signers else {
            return self.open_anew(id).await;
        };
        match self.unseal(row, &signers).await {
            Err(error) if error.is_missing() => self.open_anew(id).await,
            opened => opened,
        }
    }

    /// Opens one signing.
    pub(crate) async fn open_signing(
        &self,
        row: SigningRow,
    ) -> Result<OpenedSigning, WorkflowError> {
        let (row, signers) = self
            .records
            .store
            .read(|tx| {
                Box::pin(async move {
                    let signers = signer_rows(tx, &row).await?;
                    Ok::<_, WorkflowError>((row, signers))
                })
            })
            .await?;
        self.unseal_or_anew(row, signers).await
    }

    /// Opens a signing from rows of one moment. Its key may still go between
    /// the rows and itself; then the rows tell of the erasure.
    async fn open_anew(&self, id: Uuid) -> Result<OpenedSigning, WorkflowError> {
        const READINGS: usize = 2;

        let mut failure = WorkflowError::NotFound;
        for _ in 0..READINGS {
            let (row, signers) = self
                .records
                .store
                .transact(|tx| {
                    Box::pin(async move {
                        let row = tx.get::<SigningRow>(&id).await?;
                        let row = row.ok_or(WorkflowError::NotFound)?;
                        let signers = signer_rows(tx, &row).await?;
                        let signers =
                            signers.ok_or(WorkflowError::Inconsistent("a signer has no row"))?;
                        Ok::<_, WorkflowError>((row, signers))
                    })
                })
                .await?;
            match self.unseal(row, &signers).await {
                Err(error) if error.is_missing() => failure = error,
                opened => return opened,
            }
        }
        Err(failure)
    }

    async fn unseal(
        &self,
        row: SigningRow,
        signers: &[SignerPrivateRow],
    ) -> Result<OpenedSigning, WorkflowError> {
        let read_at = self.records.store.now().await?;
        let mut opened = if row.erased_at.is_some() {
            OpenedSigning {
                private: SigningPrivate::default(),
                signers: vec![SignerPrivate::default(); row.signing.signers.len()],
                row,
                read_at,
            }
        } else {
            let key = self.records.data_key(row.data_key).await?;
            OpenedSigning::unsealed(&key, row, signers, read_at)?
        };
        show_expired(&mut opened.row, read_at);
        Ok(opened)
    }

    /// All bytes of a version, for a plugin.
    pub(super) async fn version_bytes(
        &self,
        row: &SigningRow,
        version: &DocumentVersion,
    ) -> Result<Bytes, WorkflowError> {
        let key = self.key_to(row).await?;
        let read = self.records.files.read(&key, version.bytes_id).await;
        match read.map_err(WorkflowError::from) {
            Err(error) if error.is_missing() => {
                Err(self.gone_or(row.signing.id.uuid(), error).await?)
            }
            read => read,
        }
    }
}

/// A deadline that has passed is so before its job has come to it, which then
/// stores and tells of it.
fn show_expired(row: &mut SigningRow, now: Timestamp) {
    let _ = row.signing.expire(now);
}

/// The rows of the parties, in their order; none when one of them is not there,
/// because the signing has changed since its row was read.
async fn signer_rows(
    tx: &mut Transaction<'_>,
    row: &SigningRow,
) -> Result<Option<Vec<SignerPrivateRow>>, WorkflowError> {
    if row.erased_at.is_some() {
        return Ok(Some(Vec::new()));
    }
    let mut rows = Vec::with_capacity(row.signing.signers.len());
    for party in &row.signing.signers {
        match tx.get::<SignerPrivateRow>(&party.id.uuid()).await? {
            Some(row) => rows.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(rows))
}
