//! Opens signings: one document, one ceremony for each signer.

use std::slice::from_ref;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{NewSigning, SignerRole, SignerStatus, Signing, SigningId};
use parafa_platform::accounts::Caller;
use parafa_platform::idempotency;
use parafa_store::clock::shifted;
use parafa_store::keys::DataKey;
use parafa_store::{MasterKey, Transaction, audit};
use uuid::Uuid;

use super::forms::{ContentForm, SignerForm, SigningForm, SourceForm, TermsForm};
use super::intake::{Examined, not_installed};
use super::read_signing::OpenedSigning;
use super::signings::Signings;
use super::unnamed::Unnamed;
use super::{Keep, deadline, files, funding, kept_answer, notices, remind, sealing, settle_answer};
use crate::error::{IntakeFault, WorkflowError};
use crate::records::{
    CeremonyLinkRow, Delivery, DocumentVersion, MailKind, SignerPrivateRow, SigningPrivate,
    SigningRow, Source,
};

/// A signing whose bytes are written and whose rows are not.
pub(super) struct Prepared {
    unnamed: Unnamed,
    pub(super) key: DataKey,
    pub(super) opened: OpenedSigning,
    signers: Vec<SignerPrivateRow>,
    links: Vec<CeremonyLinkRow>,
    /// The stored file that the document was copied from.
    file: Option<Uuid>,
    /// What the plugin told about flattening the document.
    flatten_notes: Vec<String>,
}

impl Signings {
    /// Takes a document in and opens one ceremony for each signer.
    pub async fn create_signing(
        &self,
        caller: &Caller,
        form: SigningForm,
        keep: Option<Keep<'_, OpenedSigning>>,
    ) -> Result<OpenedSigning, WorkflowError> {
        let SigningForm { source, terms } = form;
        self.check_mail(terms.delivery)?;
        // Until the rows are stored.
        let room;
        let mut examined = match source {
            SourceForm::Document(document) => {
                room = self.intake.room_for(caller, from_ref(&document), 1).await?;
                self.intake.examine(caller, vec![document]).await?
            }
            SourceForm::Container(files) => {
                self.intake.examine(caller, files).await?;
                return Err(WorkflowError::FileRefused {
                    pointer: "/container/format".to_owned(),
                    refusal: not_installed("makes containers of this format"),
                });
            }
        };
        let document = examined
            .pop()
            .ok_or(WorkflowError::Inconsistent("a document was not looked at"))?;
        let prepared = self.prepare_signing(caller, document, &terms, None).await?;
        let stored = self.store_signing(caller, &prepared, keep).await;
        if let Err(error) = stored {
            if error.proves_nothing_stored() {
                self.discard(&prepared).await;
            }
            return Err(error);
        }
        drop(room);
        self.work.notify_one();
        prepared.log();
        Ok(prepared.opened)
    }

    /// Refuses to promise letters that nothing could send.
    pub(super) fn check_mail(&self, delivery: Delivery) -> Result<(), WorkflowError> {
        match delivery {
            Delivery::Email if !self.sends_mail => Err(WorkflowError::NoMail),
            Delivery::Email | Delivery::Link => Ok(()),
        }
    }

    async fn store_signing(
        &self,
        caller: &Caller,
        prepared: &Prepared,
        keep: Option<Keep<'_, OpenedSigning>>,
    ) -> Result<(), WorkflowError> {
        let answer = kept_answer(&self.idempotency, keep, &prepared.opened).await?;
        prepared.settle();
        let kept = answer.as_ref();
        let (caller, subject) = (*caller, prepared.opened.id());
        let stored = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    funding::check(tx, &caller, self.recovery_url.as_ref()).await?;
                    prepared.insert(tx).await?;
                    prepared.invite(tx).await?;
                    match kept {
                        Some(answer) => Ok(idempotency::keep(tx, answer, &[subject]).await?),
                        None => Ok(()),
                    }
                })
            })
            .await;
        settle_answer(&self.idempotency, answer.as_ref(), stored).await
    }

    /// Writes a signing's key and bytes, and makes its rows.
    pub(super) async fn prepare_signing(
        &self,
        caller: &Caller,
        document: Examined,
        terms: &TermsForm,
        batch: Option<Uuid>,
    ) -> Result<Prepared, WorkflowError> {
        let loaded = match self.intake.load_to_sign(caller, &document).await {
            // It was dropped since it was looked at.
            Err(WorkflowError::NotFound) => {
                let pointer = document.form.pointer;
                let fault = IntakeFault::UnknownFile { pointer };
                return Err(WorkflowError::IntakeRefused(vec![fault]));
            }
            loaded => loaded?,
        };
        let data_key = self.records.store.new_id().await?;
        let key = DataKey::random()?;
        let bytes_id = self.records.store.new_id().await?;
        let unnamed = Unnamed::new(&self.records, bytes_id, data_key);
        let written = match tokio::join!(
            self.records.keys.keep(data_key, &key),
            self.records.files.write(&key, bytes_id, loaded.content),
        ) {
            (Ok(()), written) => written.map_err(WorkflowError::from),
            (Err(error), _) => Err(error.into()),
        };
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                unnamed.settle();
                // Bytes that were written nobody can read any more; they are swept.
                self.records.discard_key(data_key).await;
                return Err(error);
            }
        };
        let now = self.records.store.now().await?;
        let id = self.records.store.new_id().await?;
        let mut parties = Vec::with_capacity(terms.signers.len());
        for signer in &terms.signers {
            parties.push((self.records.store.new_id().await?, signer));
        }
        let private = SigningPrivate {
            title: terms.title.clone(),
            external_id: terms.external_id.clone(),
            webhook_url: terms.webhook_url.clone(),
            document_name: document.form.name,
        };
        let signing = Signing::create(
            NewSigning {
                id: SigningId::new(id),
                order: terms.order,
                signers: parties.iter().map(|(id, form)| form.party(*id)).collect(),
                expires_at: days_after(now, terms.expires_in_days),
                soft_deadline_at: terms
                    .soft_deadline_in_days
                    .map(|days| days_after(now, days)),
            },
            now,
        );
        let row = SigningRow {
            tenant: caller.tenant,
            mode: caller.mode,
            delivery: terms.delivery,
            source: Source::Upload,
            data_key,
            format: document.plugin.id().to_owned(),
            versions: vec![DocumentVersion {
                bytes_id: written.id,
                sha256: written.sha256.to_string(),
                bytes: written.bytes,
                media_type: document.report.media_type,
                created_at: now,
                made_by: None,
            }],
            artifact: None,
            came_signed: !document.report.signatures.is_empty(),
            batch,
            private: Some(sealing::seal_signing(&key, id, &private)?),
            plugin_faults: None,
            detail: None,
            erased_at: None,
            pending_deletion: None,
            signing,
        };
        let mut signers = Vec::with_capacity(parties.len());
        for (id, form) in &parties {
            signers.push(self.signer_row(&key, *id, form)?);
        }
        Ok(Prepared {
            unnamed,
            links: self.links(&row),
            signers,
            file: match document.form.content {
                ContentForm::Inline(_) => None,
                ContentForm::File(token) => Some(token),
            },
            flatten_notes: document.flatten_notes,
            opened: OpenedSigning {
                row,
                private,
                signers: parties.iter().map(|(_, form)| form.private()).collect(),
                read_at: now,
            },
            key,
        })
    }

    /// Leaves nothing of a signing that was not stored. What cannot be removed
    /// now is swept later, and unreadable without its key.
    pub(super) async fn discard(&self, prepared: &Prepared) {
        prepared.settle();
        let row = &prepared.opened.row;
        if let Err(error) = self.records.keys.erase(row.data_key).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the key of a signing that was not stored is left");
        }
        for version in &row.versions {
            if let Err(error) = self.records.files.unlink(version.bytes_id).await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "bytes of a signing that was not stored are left");
            }
        }
    }

    /// The sealed row of a party.
    pub(super) fn signer_row(
        &self,
        key: &DataKey,
        signer: Uuid,
        form: &SignerForm,
    ) -> Result<SignerPrivateRow, WorkflowError> {
        let lock = form.personal_code.as_ref();
        Ok(SignerPrivateRow {
            signer,
            private: sealing::seal_signer(key, signer, &form.private())?,
            identity_lock: lock
                .map(|code| identity_lock(&self.records.master, signer, code.digits())),
        })
    }

    /// The link of one party, if it has one.
    pub(super) fn link(&self, signing: Uuid, signer: Uuid) -> CeremonyLinkRow {
        CeremonyLinkRow {
            token_hash: self.links.ceremony_token(signer).hash().to_string(),
            signing,
            signer,
        }
    }

    fn links(&self, row: &SigningRow) -> Vec<CeremonyLinkRow> {
        let signers = row.signing.signers.iter();
        signers
            .filter(|party| party.role == SignerRole::Signer)
            .map(|party| self.link(row.signing.id.uuid(), party.id.uuid()))
            .collect()
    }
}

impl Prepared {
    /// To be called before the rows are committed.
    pub(super) fn settle(&self) {
        self.unnamed.settle();
    }

    /// Stores the signing with its jobs.
    pub(super) async fn insert(&self, tx: &mut Transaction<'_>) -> Result<(), WorkflowError> {
        let row = &self.opened.row;
        if let Some(token) = self.file {
            files::count_use(tx, row, token).await?;
        }
        tx.insert(row).await?;
        for signer in &self.signers {
            tx.insert(signer).await?;
        }
        for link in &self.links {
            tx.insert(link).await?;
        }
        deadline::schedule(tx, row).await?;
        remind::schedule(tx, row).await?;
        let mut created = audit::Fields::new().reference("tenant", row.tenant);
        for version in &row.versions {
            created = created.reference("document", &version.sha256);
        }
        audit::append(tx, self.opened.id(), "signing.created", created).await?;
        Ok(())
    }

    /// Has a mail sent to everybody who can sign at once.
    async fn invite(&self, tx: &mut Transaction<'_>) -> Result<(), WorkflowError> {
        let row = &self.opened.row;
        for party in &row.signing.signers {
            if party.status == SignerStatus::Pending {
                notices::mail(tx, &self.key, row, party.id, MailKind::Invitation).await?;
            }
        }
        Ok(())
    }

    /// Tells the operator.
    pub(super) fn log(&self) {
        let row = &self.opened.row;
        tracing::info!(
            signing.id = %self.opened.id(),
            tenant.id = %row.tenant,
            document.bytes = row.newest().map(|version| version.bytes),
            signers = row.signing.signers.len(),
            "signing created"
        );
        for note in &self.flatten_notes {
            tracing::info!(signing.id = %self.opened.id(), note, "document flattened with a note");
        }
    }
}

/// Keyed digest of the personal code of one party; the same code is
/// another one's of another party.
pub fn identity_lock(master: &MasterKey, signer: Uuid, personal_code: &str) -> String {
    let value = format!("{signer}\n{personal_code}");
    master.index("identity-lock", &value).to_string()
}

/// So many times 24 hours later.
pub(super) fn days_after(now: Timestamp, days: u16) -> Timestamp {
    shifted(now, SignedDuration::from_hours(24 * i64::from(days)))
}
