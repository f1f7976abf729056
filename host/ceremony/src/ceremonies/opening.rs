//! Opening of ceremonies: one document, and one link for each signer.

use parafa_domain::{Ceremony, CeremonyId, NewCeremony, SignerRole, SignerStatus};
use parafa_platform::accounts::Caller;
use parafa_plugin_host::Document;
use parafa_store::keys::DataKey;
use parafa_store::{MasterKey, Sha256Digest, Transaction, audit};
use uuid::Uuid;

use super::{Ceremonies, deadline, remind};
use crate::error::CeremonyError;
use crate::forms::{SignerForm, TermsForm, days_after};
use crate::reader::UnsealedCeremony;
use crate::records::{
    CeremonyLinkRow, CeremonyPrivate, CeremonyRow, DocumentVersion, MailKind, Owner,
    SignerPrivateRow,
};
use crate::unnamed::Unnamed;
use crate::{notices, sealing};

/// A document that was inspected and can be signed.
#[derive(Debug)]
pub struct UploadedDocument {
    /// The file name.
    pub name: String,
    /// The bytes, with what the inspection told of them.
    pub content: Document,
    /// The media type.
    pub media_type: String,
    /// The plugin's name for the format, such as `pdf`.
    pub format: String,
    /// Signed already when uploaded.
    pub came_signed: bool,
    /// Contains scripts, which viewers may run.
    pub has_scripts: bool,
}

/// A ceremony whose bytes are written and whose rows are not.
pub struct PreparedCeremony {
    unnamed: Unnamed,
    /// The key of its sealed content.
    pub key: DataKey,
    /// The ceremony as it will be stored.
    pub opened: UnsealedCeremony,
    signers: Vec<SignerPrivateRow>,
    links: Vec<CeremonyLinkRow>,
}

impl Ceremonies {
    /// Writes a ceremony's key and bytes, and makes its rows. It is owned by
    /// `subject`, a record of the caller's product, or by itself; `batch` names its
    /// group.
    pub async fn prepare(
        &self,
        caller: &Caller,
        subject: Option<Uuid>,
        document: UploadedDocument,
        terms: &TermsForm,
        batch: Option<Uuid>,
    ) -> Result<PreparedCeremony, CeremonyError> {
        let data_key = self.records.store.new_id().await?;
        let key = DataKey::random()?;
        let bytes_id = self.records.store.new_id().await?;
        let unnamed = Unnamed::new(&self.records, bytes_id, data_key);
        let content = document.content;
        let known = content.clone();
        let (bytes, files) = (content.bytes().clone(), &self.records.files);
        let digest = move |_: &[u8]| Sha256Digest::from(content.sha256());
        let written = match tokio::join!(
            self.records.keys.keep(data_key, &key),
            files.write_digested(&key, bytes_id, bytes, digest),
        ) {
            (Ok(()), written) => written.map_err(CeremonyError::from),
            (Err(error), _) => Err(error.into()),
        };
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                unnamed.settle();
                // Without the key, the written bytes are unreadable; they are
                // swept.
                self.records.discard_key(data_key).await;
                return Err(error);
            }
        };
        // A signature goes on with the state of this digest, and with what plugins said of these
        // bytes.
        self.known_documents.remember(bytes_id.as_u128(), &known);
        let now = self.records.store.now().await?;
        let id = self.records.store.new_id().await?;
        let mut parties = Vec::with_capacity(terms.signers.len());
        for signer in &terms.signers {
            parties.push((self.records.store.new_id().await?, signer));
        }
        let private = CeremonyPrivate {
            title: terms.title.clone(),
            external_id: terms.external_id.clone(),
            webhook_url: terms.webhook_url.clone(),
            document_name: document.name,
            subject_notice: terms.subject_notice.clone(),
        };
        let ceremony = Ceremony::create(
            NewCeremony {
                id: CeremonyId::new(id),
                order: terms.order,
                signers: parties.iter().map(|(id, form)| form.party(*id)).collect(),
                expires_at: days_after(now, terms.expires_in_days),
                soft_deadline_at: terms
                    .soft_deadline_in_days
                    .map(|days| days_after(now, days)),
            },
            now,
        );
        let row = CeremonyRow {
            tenant: caller.tenant,
            mode: caller.mode,
            delivery: terms.delivery,
            owner: Some(Owner {
                product: caller.product,
                subject: subject.unwrap_or(id),
            }),
            data_key,
            format: document.format,
            versions: vec![DocumentVersion::of(written, document.media_type, now, None)],
            artifact: None,
            came_signed: document.came_signed,
            has_scripts: document.has_scripts,
            batch,
            private: Some(sealing::seal(&key, id, &private)?),
            plugin_faults: None,
            detail: None,
            erased_at: None,
            pending_deletion: None,
            ceremony,
        };
        let mut signers = Vec::with_capacity(parties.len());
        for (id, form) in &parties {
            signers.push(self.signer_row(&key, *id, form)?);
        }
        Ok(PreparedCeremony {
            unnamed,
            links: self.link_rows(&row),
            signers,
            opened: UnsealedCeremony {
                row,
                private,
                signers: parties.iter().map(|(_, form)| form.private()).collect(),
                read_at: now,
            },
            key,
        })
    }

    /// Removes a ceremony that was not stored. Bytes that cannot be removed now are
    /// swept later, and unreadable without the key.
    pub async fn discard(&self, prepared: &PreparedCeremony) {
        prepared.unnamed.settle();
        let row = &prepared.opened.row;
        self.records.discard_key(row.data_key).await;
        for version in &row.versions {
            self.known_documents.forget(version.bytes_id.as_u128());
            self.records.discard_bytes(version.bytes_id).await;
        }
    }

    /// Returns the sealed row of a party.
    pub(super) fn signer_row(
        &self,
        key: &DataKey,
        signer: Uuid,
        form: &SignerForm,
    ) -> Result<SignerPrivateRow, CeremonyError> {
        let lock = form.personal_code.as_ref();
        Ok(SignerPrivateRow {
            signer,
            private: sealing::seal(key, signer, &form.private())?,
            identity_lock: lock
                .map(|code| identity_lock(&self.records.master, signer, code.digits())),
        })
    }

    /// Returns the link of one party, if it has one.
    pub(super) fn link(&self, ceremony: Uuid, signer: Uuid) -> CeremonyLinkRow {
        CeremonyLinkRow {
            token_hash: self.links.ceremony_token(signer).hash().to_string(),
            ceremony,
            signer,
            copy_until: None,
        }
    }

    fn link_rows(&self, row: &CeremonyRow) -> Vec<CeremonyLinkRow> {
        let signers = row.ceremony.signers.iter();
        signers
            .filter(|party| party.role == SignerRole::Signer)
            .map(|party| self.link(row.ceremony.id.uuid(), party.id.uuid()))
            .collect()
    }
}

impl PreparedCeremony {
    /// Stores the ceremony with its jobs.
    pub async fn insert(&self, tx: &mut Transaction<'_>) -> Result<(), CeremonyError> {
        // From here on, a drop does not prove that nothing was stored.
        self.unnamed.settle();
        let row = &self.opened.row;
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

    /// Enqueues a mail to everyone who can sign at once.
    pub async fn invite(&self, tx: &mut Transaction<'_>) -> Result<(), CeremonyError> {
        let row = &self.opened.row;
        for party in &row.ceremony.signers {
            if party.status == SignerStatus::Pending {
                notices::mail(tx, &self.key, row, party.id, MailKind::Invitation).await?;
            }
        }
        Ok(())
    }

    /// Logs the new ceremony.
    pub fn log(&self) {
        let row = &self.opened.row;
        tracing::info!(
            signing.id = %self.opened.id(),
            tenant.id = %row.tenant,
            document.bytes = row.newest().map(|version| version.bytes),
            signers = row.ceremony.signers.len(),
            "signing created"
        );
    }
}

/// Returns the keyed digest of a party's personal code; for another party the same
/// code has another digest.
pub fn identity_lock(master: &MasterKey, signer: Uuid, personal_code: &str) -> String {
    let value = format!("{signer}\n{personal_code}");
    master.index("identity-lock", &value).to_string()
}
