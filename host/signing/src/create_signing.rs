//! Creation of signings: one document with a ceremony for its signers.

use std::slice::from_ref;
use std::sync::Arc;

use parafa_api_signing::requests::{CreateSigning, DocumentBytes, Source};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::forms::TermsForm;
use parafa_ceremony::opening::{PreparedCeremony, UploadedDocument};
use parafa_ceremony::quota::Room;
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::Delivery;
use parafa_ceremony::sealing;
use parafa_platform::accounts::Caller;
use parafa_store::Transaction;
use uuid::Uuid;

use super::api::{forms, views};
use super::intake::Examined;
use super::signings::Signings;
use super::{files, funding};
use crate::error::{IntakeFault, SigningError};
use crate::records::{CommentAuthor, CommentPrivate, CommentRow};

/// A signing whose bytes are written and whose rows are not.
pub(super) struct PreparedSigning {
    pub(super) ceremony: PreparedCeremony,
    /// Stored file from which the document was copied.
    file: Option<Uuid>,
    /// Notes of the plugin about flattening the document.
    flatten_notes: Vec<String>,
    /// Remarks to the caller about the document.
    remarks: Vec<CommentRow>,
}

impl Signings {
    /// Takes a document in and opens its ceremony.
    pub async fn create_signing(
        &self,
        caller: &Caller,
        request: CreateSigning,
    ) -> Result<UnsealedCeremony, SigningError> {
        let terms = forms::terms(request.terms)?;
        self.check_mail(terms.delivery)?;
        let signers = terms.parties_to_sign();
        let room;
        let document = match request.source {
            Source::Document(document) => {
                room = self.intake.room_for(caller, from_ref(&document), 1).await?;
                let examined = self.intake.examine(caller, vec![document], signers);
                let mut examined = examined.await?;
                let examined = examined.pop();
                examined.ok_or(CeremonyError::Inconsistent("a document was not looked at"))?
            }
            Source::Container(container) => {
                room = self.intake.room_for_files(caller, &container).await?;
                self.intake
                    .compose(caller, &container, &terms.title, signers)
                    .await?
            }
        };
        let prepared = self.prepare_signing(caller, document, &terms, None).await?;
        let stored = self.store_signing(caller, &prepared, signers, room);
        let stored = stored.await;
        if let Err(error) = stored {
            if error.proves_nothing_stored() {
                self.ceremonies.discard(&prepared.ceremony).await;
            }
            return Err(error);
        }
        // Only letters are due at once.
        if terms.delivery == Delivery::Email {
            self.ceremonies.wake();
        }
        prepared.log();
        Ok(prepared.ceremony.opened)
    }

    /// Refuses delivery by letters that could not be sent.
    pub(super) fn check_mail(&self, delivery: Delivery) -> Result<(), SigningError> {
        match delivery {
            Delivery::Email if !self.sends_mail => Err(SigningError::NoMail),
            Delivery::Email | Delivery::Link => Ok(()),
        }
    }

    async fn store_signing(
        &self,
        caller: &Caller,
        prepared: &PreparedSigning,
        signers: usize,
        room: Arc<Room>,
    ) -> Result<(), SigningError> {
        let (opened, room) = (prepared.opened(), &room);
        let answer = || views::signing(self.ceremonies.links(), opened);
        self.idempotency
            .commit(caller.claim, &[opened.id()], answer, |tx| {
                Box::pin(async move {
                    tx.hold(room.clone());
                    funding::reserve(tx, caller, signers, self.recovery_url.as_ref()).await?;
                    prepared.insert(tx).await?;
                    Ok(prepared.ceremony.invite(tx).await?)
                })
            })
            .await
    }

    /// Writes a signing's key and bytes, and makes its rows.
    pub(super) async fn prepare_signing(
        &self,
        caller: &Caller,
        mut document: Examined<'_>,
        terms: &TermsForm,
        batch: Option<Uuid>,
    ) -> Result<PreparedSigning, SigningError> {
        let loaded = match self.intake.load_to_sign(caller, &mut document).await {
            // The file was deleted since it was inspected.
            Err(SigningError::Ceremony(CeremonyError::NotFound)) => {
                let pointer = document.pointer;
                let fault = IntakeFault::UnknownFile { pointer };
                return Err(SigningError::IntakeRefused(vec![fault]));
            }
            loaded => loaded?,
        };
        let file = match document.bytes {
            // Loaded from its stored copy, so as not to be in memory twice.
            DocumentBytes::Content(posted) => {
                drop(posted);
                None
            }
            DocumentBytes::FileToken(token) => Some(token.0),
        };
        let posted = UploadedDocument {
            name: document.name,
            content: loaded.content,
            media_type: document.media_type,
            format: document.plugin.id().to_owned(),
            came_signed: document.came_signed,
            has_scripts: document.has_scripts,
        };
        let ceremony = self.ceremonies.prepare(caller, None, posted, terms, batch);
        let ceremony = ceremony.await?;
        let mut remarks = Vec::with_capacity(document.remarks.len());
        for body in document.remarks {
            remarks.push(self.remark(&ceremony, body).await?);
        }
        Ok(PreparedSigning {
            ceremony,
            file,
            flatten_notes: document.flatten_notes,
            remarks,
        })
    }

    /// Makes a comment of the service's own.
    async fn remark(
        &self,
        ceremony: &PreparedCeremony,
        body: String,
    ) -> Result<CommentRow, SigningError> {
        let id = self.records.store.new_id().await?;
        let private = CommentPrivate {
            author_label: None,
            body,
        };
        Ok(CommentRow {
            signing: ceremony.opened.id(),
            id,
            author: CommentAuthor::Service,
            created_at: self.records.store.now().await?,
            private: sealing::seal(&ceremony.key, id, &private)?,
        })
    }
}

impl PreparedSigning {
    pub(super) fn opened(&self) -> &UnsealedCeremony {
        &self.ceremony.opened
    }

    /// Stores the signing with its jobs.
    pub(super) async fn insert(&self, tx: &mut Transaction<'_>) -> Result<(), SigningError> {
        if let Some(token) = self.file {
            files::count_use(tx, &self.opened().row, token).await?;
        }
        self.ceremony.insert(tx).await?;
        for remark in &self.remarks {
            tx.insert(remark).await?;
        }
        Ok(())
    }

    /// Logs the new signing.
    pub(super) fn log(&self) {
        self.ceremony.log();
        for note in &self.flatten_notes {
            tracing::info!(signing.id = %self.opened().id(), note, "document flattened with a note");
        }
    }
}
