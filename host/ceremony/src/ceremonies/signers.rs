//! Parties that are added, changed and removed during signing.

use parafa_domain::{
    CannotChange, Ceremony, MethodSet, SignerId, SignerRole, SignerStatus, SigningOrder,
};
use parafa_platform::accounts::Caller;
use parafa_store::keys::DataKey;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use super::{Ceremonies, running_attempt};
use crate::error::CeremonyError;
use crate::forms::SignerForm;
use crate::reader::UnsealedSigner;
use crate::records::{CeremonyLinkRow, CeremonyRow, MailKind, SignerPrivateRow};
use crate::{change, notices};

/// A party about to be added to a ceremony.
pub struct NewParty {
    id: Uuid,
    form: SignerForm,
    sealed: SignerPrivateRow,
    link: CeremonyLinkRow,
}

impl NewParty {
    /// Returns the party's id.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Returns the party's form.
    pub fn form(&self) -> &SignerForm {
        &self.form
    }

    /// Adds the party at the end of the queue.
    ///
    /// # Errors
    /// When the ceremony has reached its limit of parties.
    pub fn queue(&self, row: &mut CeremonyRow, tx: &Transaction<'_>) -> Result<(), CeremonyError> {
        let party = self.form.party(self.id);
        row.ceremony
            .add_signer(party, tx.now())
            .map(|_| ())
            .map_err(|error| refusal(error, &row.ceremony, SignerId::new(self.id)))
    }

    /// Stores a ceremony with the added party.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub async fn join(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
    ) -> Result<UnsealedSigner, CeremonyError> {
        let is_signer = self.form.role == SignerRole::Signer;
        tx.put(row).await?;
        tx.insert(&self.sealed).await?;
        if is_signer {
            tx.insert(&self.link).await?;
        }
        note(tx, row, "signing.signer_added", self.id).await?;
        let party = SignerId::new(self.id);
        if is_signer && row.ceremony.order == SigningOrder::Parallel {
            notices::mail(tx, key, row, party, MailKind::Invitation).await?;
        }
        UnsealedSigner::read(tx, key, row, party).await
    }
}

impl Ceremonies {
    /// Prepares a party for a ceremony.
    ///
    /// # Errors
    /// When there is no id for it, or it cannot be sealed.
    pub async fn new_party(
        &self,
        key: &DataKey,
        ceremony: Uuid,
        form: SignerForm,
    ) -> Result<NewParty, CeremonyError> {
        let id = self.records.store.new_id().await?;
        Ok(NewParty {
            id,
            sealed: self.signer_row(key, id, &form)?,
            link: self.link(ceremony, id),
            form,
        })
    }

    /// Replaces the methods that a signer may use.
    pub async fn change_methods(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: Uuid,
        methods: MethodSet,
    ) -> Result<UnsealedSigner, CeremonyError> {
        let key = self.reader.key_of(caller, id).await?;
        let (under, caller, methods) = (&key, *caller, &methods);
        let opened = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let party = SignerId::new(signer);
                    let now = tx.now();
                    row.ceremony
                        .change_methods(party, methods, now)
                        .map_err(|error| refusal(error, &row.ceremony, party))?;
                    if running_attempt(tx, &row, party).await?.is_some() {
                        return Err(CeremonyError::Busy);
                    }
                    tx.put(&row).await?;
                    note(tx, &row, "signing.signer_changed", signer).await?;
                    UnsealedSigner::read(tx, under, &row, party).await
                })
            })
            .await?;
        self.changes.announce(id);
        Ok(opened)
    }

    /// Removes a party that has not finished, with all its data.
    pub async fn remove_signer(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: Uuid,
    ) -> Result<(), CeremonyError> {
        let key = self.reader.key_of(caller, id).await?;
        let link = self.link(id, signer).token_hash;
        let (under, caller, link) = (&key, *caller, &link);
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let before = row.clone();
                    let party = SignerId::new(signer);
                    let now = tx.now();
                    let removed = row.ceremony.remove_signer(party, now);
                    let events =
                        removed.map_err(|error| refusal(error, &before.ceremony, party))?;
                    let was = before.ceremony.signer(party).map(|party| party.status);
                    if was == Some(SignerStatus::Pending) {
                        notices::mail(tx, under, &before, party, MailKind::Retraction).await?;
                    }
                    tx.delete::<CeremonyLinkRow>(link).await?;
                    tx.delete::<SignerPrivateRow>(&signer).await?;
                    note(tx, &row, "signing.signer_removed", signer).await?;
                    change::store(tx, &self.owners, under, &before.ceremony, &row, &events).await
                })
            })
            .await?;
        tracing::info!(signing.id = %id, signer.id = %signer, "signer removed");
        self.announce(id);
        Ok(())
    }
}

async fn note(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    event: &str,
    signer: Uuid,
) -> Result<(), CeremonyError> {
    let fields = audit::Fields::new().reference("signer", signer);
    audit::append(tx, row.ceremony.id.uuid(), event, fields).await?;
    Ok(())
}

fn refusal(error: CannotChange, ceremony: &Ceremony, party: SignerId) -> CeremonyError {
    match error {
        CannotChange::LastSigner => CeremonyError::LastSigner,
        CannotChange::SignatureUnderWay => CeremonyError::Busy,
        CannotChange::SignerNotOpen => {
            CeremonyError::SignerNotOpen(ceremony.signer(party).map(|party| party.status))
        }
        CannotChange::SigningEnded => CeremonyError::SigningEnded(ceremony.status),
        CannotChange::TooManyParties => CeremonyError::TooManySigners,
        CannotChange::UnknownSigner => CeremonyError::NotFound,
    }
}
