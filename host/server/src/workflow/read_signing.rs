use bytes::Bytes;
use parafa_domain::{Signer, SignerId, SigningStatus};
use parafa_store::keys::DataKey;
use parafa_store::{Guard, Page, Transaction};
use uuid::Uuid;

use super::accounts::Caller;
use super::{notices, sealing};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    DocumentVersion, KeyMode, SIGNINGS_BY_STATUS, SIGNINGS_OF_WORKSPACE, SignerPrivate,
    SignerPrivateRow, SigningPrivate, SigningRow, status_number,
};

/// A signing with all that is known about it; of an erased one nothing is.
#[derive(Clone, Debug)]
pub(crate) struct OpenedSigning {
    pub(crate) row: SigningRow,
    pub(crate) private: SigningPrivate,
    /// In the order of `row.signing.signers`.
    pub(crate) signers: Vec<SignerPrivate>,
}

/// A party with all that is known about it.
#[derive(Clone, Debug)]
pub(crate) struct OpenedSigner {
    pub(crate) party: Signer,
    pub(crate) private: SignerPrivate,
}

/// Which signings a list shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing {
    pub(crate) status: Option<SigningStatus>,
    pub(crate) limit: usize,
    pub(crate) after: Option<Uuid>,
}

/// A document for download.
#[derive(Debug)]
pub(crate) struct Download {
    pub(crate) version: DocumentVersion,
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    /// Whether it is the unsigned artifact of a simulation.
    pub(crate) simulated: bool,
}

impl OpenedSigning {
    /// The signing's id.
    pub(crate) fn id(&self) -> Uuid {
        self.row.signing.id.uuid()
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
        })
    }
}

impl App {
    /// The signing, if this caller may see it.
    pub(crate) async fn signing_of(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<SigningRow, WorkflowError> {
        let row = self.store.get::<SigningRow>(&id).await?;
        row.filter(|row| row.tenant == caller.tenant && row.mode == caller.mode)
            .ok_or(WorkflowError::NotFound)
    }

    /// A page of the caller's signings, newest first, and whether more follow.
    pub(crate) async fn list_signings(
        &self,
        caller: &Caller,
        listing: Listing,
    ) -> Result<(Vec<SigningRow>, bool), WorkflowError> {
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
        Ok((paged.rows, paged.more))
    }

    /// The key of what is sealed in a signing that this caller may change.
    pub(super) async fn key_of(&self, caller: &Caller, id: Uuid) -> Result<DataKey, WorkflowError> {
        let row = self.signing_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(WorkflowError::NotFound);
        }
        self.data_key(row.data_key).await
    }

    /// Opens what is sealed in a signing.
    pub(crate) async fn open_signing(
        &self,
        row: SigningRow,
    ) -> Result<OpenedSigning, WorkflowError> {
        if row.erased_at.is_some() {
            return Ok(OpenedSigning {
                private: SigningPrivate::default(),
                signers: vec![SignerPrivate::default(); row.signing.signers.len()],
                row,
            });
        }
        let key = self.data_key(row.data_key).await?;
        self.open_signing_under(&key, row).await
    }

    /// The same with the signing's key at hand.
    pub(super) async fn open_signing_under(
        &self,
        key: &DataKey,
        row: SigningRow,
    ) -> Result<OpenedSigning, WorkflowError> {
        let private = notices::private_of(key, &row)?;
        let ids: Vec<Uuid> = row
            .signing
            .signers
            .iter()
            .map(|signer| signer.id.uuid())
            .collect();
        let rows = self
            .store
            .read(|tx| {
                let ids = ids.clone();
                Box::pin(async move {
                    let mut rows = Vec::with_capacity(ids.len());
                    for id in ids {
                        let row = tx.get::<SignerPrivateRow>(&id).await?;
                        rows.push(row.ok_or(WorkflowError::Inconsistent("a signer has no row"))?);
                    }
                    Ok::<_, WorkflowError>(rows)
                })
            })
            .await?;
        let signers = rows
            .iter()
            .map(|row| sealing::open_signer(key, row.signer, &row.private))
            .collect::<Result<_, _>>()?;
        Ok(OpenedSigning {
            row,
            private,
            signers,
        })
    }

    /// The newest signed version, or the artifact of a simulation.
    pub(crate) async fn signed_document(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Download, WorkflowError> {
        let row = self.signing_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(WorkflowError::NotFound);
        }
        let output = row.output().ok_or(WorkflowError::NotYetSigned)?;
        let (version, simulated) = (output.version.clone(), output.simulated);
        let download = self.download(&row, version).await?;
        Ok(Download {
            simulated,
            ..download
        })
    }

    /// The bytes of a version with the document's name.
    pub(crate) async fn download(
        &self,
        row: &SigningRow,
        version: DocumentVersion,
    ) -> Result<Download, WorkflowError> {
        let key = self.data_key(row.data_key).await?;
        let private = notices::private_of(&key, row)?;
        let bytes = self.files.read(&key, version.bytes_id).await?;
        Ok(Download {
            version,
            name: private.document_name,
            bytes,
            simulated: false,
        })
    }
}
