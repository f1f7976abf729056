//! Batches: several signings for one set of parties, created all or none.

pub(crate) mod held_mails;

pub use self::held_mails::INVITE;

use std::sync::Arc;

use parafa_api_signing::requests::CreateBatch;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::forms::TermsForm;
use parafa_ceremony::notices;
use parafa_ceremony::quota::Room;
use parafa_ceremony::reader::ListedCeremony;
use parafa_ceremony::records::{CeremonyRow, Delivery, MailKind};
use parafa_ceremony::sealing;
use parafa_domain::SignerStatus;
use parafa_platform::accounts::Caller;
use parafa_platform::outbox;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use super::api::{forms, views};
use super::create_signing::PreparedSigning;
use super::funding;
use super::signings::Signings;
use crate::error::SigningError;
pub use crate::records::UnsealedBatch;
use crate::records::{BatchPrivate, BatchRow};

impl Signings {
    /// Opens a signing for each document, or none.
    pub async fn create_batch(
        &self,
        caller: &Caller,
        request: CreateBatch,
    ) -> Result<UnsealedBatch, SigningError> {
        let CreateBatch { documents, terms } = request;
        let terms = forms::terms(terms)?;
        self.check_mail(terms.delivery)?;
        let signings = documents.len() as u64;
        let room = self.intake.room_for(caller, &documents, signings).await?;
        let signers = terms.parties_to_sign();
        let examined = self.intake.examine(caller, documents, signers).await?;
        let id = self.records.store.new_id().await?;
        let mut prepared = Vec::with_capacity(examined.len());
        for document in examined {
            match self
                .prepare_signing(caller, document, &terms, Some(id))
                .await
            {
                Ok(signing) => prepared.push(signing),
                Err(error) => {
                    self.discard_all(&prepared).await;
                    return Err(error);
                }
            }
        }
        let row = match self.batch_row(caller, id, &terms, &prepared).await {
            Ok(row) => row,
            Err(error) => {
                self.discard_all(&prepared).await;
                return Err(error);
            }
        };
        let stored = self
            .store_batch(caller, &row, &terms, &prepared, room)
            .await;
        if let Err(error) = stored {
            if error.proves_nothing_stored() {
                self.discard_all(&prepared).await;
                self.records.discard_key(row.data_key).await;
            }
            return Err(error);
        }
        self.ceremonies.wake();
        for signing in &prepared {
            signing.log();
        }
        Ok(opened_batch(row, &terms, &prepared))
    }

    /// Returns a batch with its signings as they are now.
    pub async fn read_batch(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<UnsealedBatch, SigningError> {
        let row = self.batch_of(caller, id).await?;
        let ids = row.signings.clone();
        let signings = self
            .records
            .read(|tx| {
                Box::pin(async move {
                    let mut signings = Vec::with_capacity(ids.len());
                    for id in ids {
                        let signing = tx.get::<CeremonyRow>(&id).await?;
                        let lost = CeremonyError::Inconsistent("a batch has lost a signing");
                        signings.push(signing.ok_or(lost)?);
                    }
                    Ok::<_, SigningError>(signings)
                })
            })
            .await?;
        let signings = self.reader.show(signings).await?;
        Ok(UnsealedBatch {
            private: self.batch_private(&row).await?,
            row,
            signings,
        })
    }

    /// Returns the title of a batch; empty once one of its signings is erased.
    async fn batch_private(&self, row: &BatchRow) -> Result<BatchPrivate, SigningError> {
        let Some(sealed) = &row.private else {
            return Ok(BatchPrivate::default());
        };
        match self.records.data_key(row.data_key).await {
            Ok(key) => Ok(sealing::open(&key, row.id, sealed)?),
            // The key was erased since the row was read.
            Err(error) if error.is_missing() => Ok(BatchPrivate::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the batch, if this caller may see it.
    pub async fn batch_of(&self, caller: &Caller, id: Uuid) -> Result<BatchRow, SigningError> {
        let row = self.records.store.get::<BatchRow>(&id).await?;
        row.filter(|row| row.tenant == caller.tenant && row.mode == caller.mode)
            .ok_or(CeremonyError::NotFound.into())
    }

    async fn batch_row(
        &self,
        caller: &Caller,
        id: Uuid,
        terms: &TermsForm,
        prepared: &[PreparedSigning],
    ) -> Result<BatchRow, SigningError> {
        let data_key = self.records.store.new_id().await?;
        let key = self.records.keys.create(data_key).await?;
        let private = batch_private(terms);
        let signings: Vec<Uuid> = prepared.iter().map(|one| one.opened().id()).collect();
        Ok(BatchRow {
            id,
            tenant: caller.tenant,
            mode: caller.mode,
            created_at: self.records.store.now().await?,
            signings,
            data_key,
            private: Some(sealing::seal(&key, id, &private)?),
            parties: parties(terms, prepared),
            held: Vec::new(),
        })
    }

    async fn store_batch(
        &self,
        caller: &Caller,
        row: &BatchRow,
        terms: &TermsForm,
        prepared: &[PreparedSigning],
        room: Arc<Room>,
    ) -> Result<(), SigningError> {
        let answer = || {
            let opened = opened_batch(row.clone(), terms, prepared);
            views::batch(self.ceremonies.links(), &opened)
        };
        let room = &room;
        let signatures = prepared.len() * terms.parties_to_sign();
        self.idempotency
            .commit(caller.claim, &row.signings, answer, |tx| {
                Box::pin(async move {
                    tx.hold(room.clone());
                    funding::reserve(tx, caller, signatures, self.recovery_url.as_ref()).await?;
                    tx.insert(row).await?;
                    for signing in prepared {
                        signing.insert(tx).await?;
                        let fields = audit::Fields::new().reference("batch", row.id);
                        audit::append(tx, signing.opened().id(), "signing.batched", fields).await?;
                    }
                    invite(tx, terms, prepared).await
                })
            })
            .await
    }

    async fn discard_all(&self, prepared: &[PreparedSigning]) {
        for signing in prepared {
            self.ceremonies.discard(&signing.ceremony).await;
        }
    }
}

/// Returns the parties, each as its signers in the signings.
fn parties(terms: &TermsForm, prepared: &[PreparedSigning]) -> Vec<Vec<Uuid>> {
    let signers = |position: usize| {
        let signings = prepared.iter();
        signings
            .filter_map(|one| one.opened().row.ceremony.signers.get(position))
            .map(|party| party.id.uuid())
            .collect()
    };
    (0..terms.signers.len()).map(signers).collect()
}

/// Deletes the title of a batch with the first erasure of a signing, which had
/// the same title; returns its key.
pub(super) async fn forget_title(
    tx: &mut Transaction<'_>,
    signing: &CeremonyRow,
) -> Result<Option<Uuid>, CeremonyError> {
    let Some(id) = signing.batch else {
        return Ok(None);
    };
    let Some(mut batch) = tx.get::<BatchRow>(&id).await? else {
        return Ok(None);
    };
    if batch.private.take().is_none() {
        return Ok(None);
    }
    tx.put(&batch).await?;
    Ok(Some(batch.data_key))
}

/// Enqueues one mail with all links for each party who can sign at once.
async fn invite(
    tx: &mut Transaction<'_>,
    terms: &TermsForm,
    prepared: &[PreparedSigning],
) -> Result<(), SigningError> {
    if terms.delivery != Delivery::Email {
        return Ok(());
    }
    for position in 0..terms.signers.len() {
        let mut mail = Vec::with_capacity(prepared.len());
        for one in prepared {
            let row = &one.opened().row;
            let party = row.ceremony.signers.get(position);
            let party = party.filter(|party| party.status == SignerStatus::Pending);
            if let Some(party) = party {
                let kind = MailKind::Invitation;
                mail.push(notices::note_mail(tx, &one.ceremony.key, row, party.id, kind).await?);
            }
        }
        if !mail.is_empty() {
            outbox::send(tx, &mail).await?;
        }
    }
    Ok(())
}

fn opened_batch(row: BatchRow, terms: &TermsForm, prepared: &[PreparedSigning]) -> UnsealedBatch {
    UnsealedBatch {
        row,
        private: batch_private(terms),
        signings: prepared
            .iter()
            .map(|one| ListedCeremony::Unsealed(one.opened().clone()))
            .collect(),
    }
}

fn batch_private(terms: &TermsForm) -> BatchPrivate {
    BatchPrivate {
        title: terms.title.clone(),
        external_id: terms.external_id.clone(),
    }
}
