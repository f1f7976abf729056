//! Parties that are added, changed and removed while signing goes on.

use parafa_domain::{CannotChange, MethodSet, SignerId, SignerRole, SignerStatus, SigningOrder};
use parafa_platform::accounts::Caller;
use parafa_platform::idempotency;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use super::forms::SignerForm;
use super::read_signing::OpenedSigner;
use super::signings::Signings;
use super::{Keep, change, funding, notices, settle_answer};
use crate::error::WorkflowError;
use crate::records::{CeremonyLinkRow, MailKind, SignerPrivateRow, SigningRow};

impl Signings {
    /// Adds a party at the end of the queue.
    pub async fn add_signer(
        &self,
        caller: &Caller,
        id: Uuid,
        form: SignerForm,
        keep: Option<Keep<'_, OpenedSigner>>,
    ) -> Result<OpenedSigner, WorkflowError> {
        let key = self.reader.key_of(caller, id).await?;
        let answer = match &keep {
            Some(keep) => Some(self.idempotency.prepare_answer(keep.claim, None).await?),
            None => None,
        };
        let signer = self.records.store.new_id().await?;
        let sealed = self.signer_row(&key, signer, &form)?;
        let link = self.link(id, signer);
        let (under, caller, kept, keep) = (&key, *caller, answer.as_ref(), keep.as_ref());
        let (form, sealed, link) = (&form, &sealed, &link);
        let stored = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    refuse_known_email(tx, under, &row, &form.email).await?;
                    row.signing
                        .add_signer(form.party(signer), tx.now())
                        .map_err(refusal)?;
                    funding::check(tx, &caller, self.recovery_url.as_ref()).await?;
                    if form.role == SignerRole::Signer && self.check_mail(row.delivery).is_err() {
                        return Err(WorkflowError::NotSetUp("mail is not set up here any more"));
                    }
                    tx.put(&row).await?;
                    tx.insert(sealed).await?;
                    if form.role == SignerRole::Signer {
                        tx.insert(link).await?;
                    }
                    note(tx, &row, "signing.signer_added", signer).await?;
                    let party = SignerId::new(signer);
                    if row.signing.order == SigningOrder::Parallel
                        && form.role == SignerRole::Signer
                    {
                        notices::mail(tx, under, &row, party, MailKind::Invitation).await?;
                    }
                    let opened = OpenedSigner::read(tx, under, &row, party).await?;
                    if let (Some(answer), Some(keep)) = (kept, keep) {
                        let body = (keep.render)(&opened)?;
                        idempotency::keep(tx, &answer.with_body(&body)?, &[id]).await?;
                    }
                    Ok::<_, WorkflowError>(opened)
                })
            })
            .await;
        let opened = settle_answer(&self.idempotency, answer.as_ref(), stored).await?;
        tracing::info!(signing.id = %id, signer.id = %signer, "signer added");
        self.changes.announce(id);
        self.work.notify_one();
        Ok(opened)
    }

    /// Replaces the methods that a signer may use.
    pub async fn change_methods(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: Uuid,
        methods: MethodSet,
    ) -> Result<OpenedSigner, WorkflowError> {
        let key = self.reader.key_of(caller, id).await?;
        let (under, caller, methods) = (&key, *caller, &methods);
        let opened = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let party = SignerId::new(signer);
                    row.signing
                        .change_methods(party, methods, tx.now())
                        .map_err(refusal)?;
                    tx.put(&row).await?;
                    note(tx, &row, "signing.signer_changed", signer).await?;
                    OpenedSigner::read(tx, under, &row, party).await
                })
            })
            .await?;
        self.changes.announce(id);
        Ok(opened)
    }

    /// Removes a party that has not finished, with all that is known about it.
    pub async fn remove_signer(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: Uuid,
    ) -> Result<(), WorkflowError> {
        let key = self.reader.key_of(caller, id).await?;
        let link = self.link(id, signer).token_hash;
        let (under, caller, link) = (&key, *caller, &link);
        self.records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let before = row.clone();
                    let party = SignerId::new(signer);
                    let events = row
                        .signing
                        .remove_signer(party, tx.now())
                        .map_err(refusal)?;
                    let was = before.signing.signer(party).map(|party| party.status);
                    if was == Some(SignerStatus::Pending) {
                        notices::mail(tx, under, &before, party, MailKind::Retraction).await?;
                    }
                    tx.delete::<CeremonyLinkRow>(link).await?;
                    tx.delete::<SignerPrivateRow>(&signer).await?;
                    note(tx, &row, "signing.signer_removed", signer).await?;
                    change::store(tx, under, &before.signing, &row, &events).await
                })
            })
            .await?;
        tracing::info!(signing.id = %id, signer.id = %signer, "signer removed");
        self.changes.announce(id);
        self.work.notify_one();
        Ok(())
    }
}

/// An email may belong to one party only, whatever the case of its letters.
async fn refuse_known_email(
    tx: &mut Transaction<'_>,
    key: &parafa_store::DataKey,
    row: &SigningRow,
    email: &str,
) -> Result<(), WorkflowError> {
    let email = email.to_lowercase();
    for party in &row.signing.signers {
        let known = notices::signer_private(tx, key, party.id.uuid()).await?;
        if known.email.to_lowercase() == email {
            return Err(WorkflowError::KnownEmail);
        }
    }
    Ok(())
}

async fn note(
    tx: &mut Transaction<'_>,
    row: &SigningRow,
    event: &str,
    signer: Uuid,
) -> Result<(), WorkflowError> {
    let fields = audit::Fields::new().reference("signer", signer);
    audit::append(tx, row.signing.id.uuid(), event, fields).await?;
    Ok(())
}

fn refusal(error: CannotChange) -> WorkflowError {
    match error {
        CannotChange::LastSigner => WorkflowError::LastSigner,
        CannotChange::SignatureUnderWay => WorkflowError::Busy {
            retry_after: crate::error::BUSY_RETRY_SECONDS,
        },
        CannotChange::SignerNotOpen => WorkflowError::SignerNotOpen,
        CannotChange::SigningEnded => WorkflowError::SigningEnded,
        CannotChange::TooManyParties => WorkflowError::TooManySigners,
        CannotChange::UnknownSigner => WorkflowError::NotFound,
    }
}
