use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_domain::{
    Language, MethodSet, NewSigner, NewSigning, PersonalCode, SignerId, SignerRole, Signing,
    SigningId, SigningOrder,
};
use parafa_store::audit;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::accounts::Caller;
use super::{deadline, sealing};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    CeremonyLinkRow, Delivery, DocumentVersion, SignerPrivate, SignerPrivateRow, SigningPrivate,
    SigningRow, Source,
};

/// A signing to be, checked for form.
#[derive(Debug)]
pub(crate) struct SigningOrderForm {
    pub(crate) title: String,
    pub(crate) document_name: String,
    /// Lower-case extension of the name, without the dot.
    pub(crate) extension: String,
    /// Where the bytes stand in the request, as a JSON pointer.
    pub(crate) content_pointer: String,
    pub(crate) content: Bytes,
    pub(crate) order: SigningOrder,
    pub(crate) webhook_url: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) expires_in_days: u16,
    pub(crate) soft_deadline_in_days: Option<u16>,
    pub(crate) signers: Vec<SignerForm>,
}

/// A party to be.
#[derive(Debug)]
pub(crate) struct SignerForm {
    pub(crate) role: SignerRole,
    pub(crate) email: String,
    pub(crate) name: Option<String>,
    pub(crate) language: Language,
    pub(crate) methods: MethodSet,
    pub(crate) personal_code: Option<PersonalCode>,
}

impl App {
    /// Takes a document in and opens one ceremony for each signer.
    pub(crate) async fn create_signing(
        &self,
        caller: &Caller,
        form: SigningOrderForm,
    ) -> Result<SigningRow, WorkflowError> {
        let plugin = self
            .plugins
            .by_extension(&form.extension)
            .ok_or(WorkflowError::NotSetUp(
                "documents of this format cannot be taken at the moment",
            ))?;
        let report = plugin
            .inspect(form.content.clone())
            .await
            .map_err(|error| WorkflowError::of_call(error, form.content_pointer.clone()))?;

        let now = self.clock.now();
        let id = self.store.new_id().await?;
        let data_key_id = self.store.new_id().await?;
        let data_key = self.keys.create(data_key_id).await?;
        let stored = self
            .files
            .write(&data_key, self.store.new_id().await?, form.content)
            .await?;
        let version = DocumentVersion {
            bytes_id: stored.id,
            sha256: stored.sha256.to_string(),
            bytes: stored.bytes,
            media_type: report.media_type,
            created_at: now,
            made_by: None,
        };

        let mut parties = Vec::with_capacity(form.signers.len());
        for signer in form.signers {
            parties.push((self.store.new_id().await?, signer));
        }
        let private = SigningPrivate {
            title: form.title,
            external_id: form.external_id,
            webhook_url: form.webhook_url,
            document_name: form.document_name,
        };
        let signing = Signing::create(
            NewSigning {
                id: SigningId::new(id),
                order: form.order,
                signers: parties
                    .iter()
                    .map(|(id, signer)| new_signer(*id, signer))
                    .collect(),
                expires_at: days_after(now, form.expires_in_days),
                soft_deadline_at: form.soft_deadline_in_days.map(|days| days_after(now, days)),
            },
            now,
        );
        let row = SigningRow {
            tenant: caller.tenant,
            mode: caller.mode,
            delivery: Delivery::Link,
            source: Source::Upload,
            data_key: data_key_id,
            format: plugin.id().to_owned(),
            versions: vec![version],
            private: sealing::seal_signing(&data_key, id, &private)?,
            plugin_faults: None,
            detail: None,
            erased_at: None,
            signing,
        };
        let signers = signer_rows(&data_key, parties)?;
        let links = self.links(&row);

        self.store
            .transact(|tx| {
                let (row, signers, links) = (row.clone(), signers.clone(), links.clone());
                Box::pin(async move {
                    tx.insert(&row).await?;
                    for signer in &signers {
                        tx.insert(signer).await?;
                    }
                    for link in &links {
                        tx.insert(link).await?;
                    }
                    deadline::schedule(tx, &row).await?;
                    let created = audit::Fields::new()
                        .reference("tenant", row.tenant)
                        .reference("document", &row.versions[0].sha256);
                    audit::append(tx, row.signing.id.uuid(), "signing.created", created).await?;
                    Ok::<_, WorkflowError>(())
                })
            })
            .await?;
        self.work.notify_one();
        tracing::info!(
            signing.id = %id,
            tenant.id = %caller.tenant,
            document.bytes = row.versions[0].bytes,
            signers = row.signing.signers.len(),
            "signing created"
        );
        Ok(row)
    }

    fn links(&self, row: &SigningRow) -> Vec<CeremonyLinkRow> {
        let signers = row
            .signing
            .signers
            .iter()
            .filter(|signer| signer.role == SignerRole::Signer);
        signers
            .map(|signer| CeremonyLinkRow {
                token_hash: self.ceremony_token(signer.id.uuid()).hash().to_string(),
                signing: row.signing.id.uuid(),
                signer: signer.id.uuid(),
            })
            .collect()
    }
}

fn new_signer(id: Uuid, form: &SignerForm) -> NewSigner {
    NewSigner {
        id: SignerId::new(id),
        role: form.role,
        language: form.language,
        methods: form.methods.clone(),
        identity_locked: form.personal_code.is_some(),
    }
}

fn signer_rows(
    key: &DataKey,
    parties: Vec<(Uuid, SignerForm)>,
) -> Result<Vec<SignerPrivateRow>, WorkflowError> {
    parties
        .into_iter()
        .map(|(signer, form)| {
            let private = SignerPrivate {
                email: form.email,
                name: form.name,
                personal_code: form.personal_code,
                decline_reason: None,
            };
            Ok(SignerPrivateRow {
                signer,
                private: sealing::seal_signer(key, signer, &private)?,
            })
        })
        .collect()
}

fn days_after(now: Timestamp, days: u16) -> Timestamp {
    now.saturating_add(SignedDuration::from_hours(24 * i64::from(days)))
        .unwrap_or(Timestamp::MAX)
}
