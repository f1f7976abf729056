//! Parties added to a signing in progress.

use parafa_api_signing::mailbox;
use parafa_api_signing::requests::NewSigner;
use parafa_ceremony::change::changeable;
use parafa_ceremony::notices::signer_private;
use parafa_ceremony::reader::UnsealedSigner;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::SignerRole;
use parafa_platform::accounts::Caller;
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::api::{forms, views};
use super::funding;
use super::signings::Signings;
use crate::error::SigningError;

impl Signings {
    /// Adds a party at the end of the queue.
    pub async fn add_signer(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: NewSigner,
    ) -> Result<UnsealedSigner, SigningError> {
        let form = forms::signer(signer)?;
        let key = self.reader.key_of(caller, id).await?;
        let party = self.ceremonies.new_party(&key, id, form).await?;
        let (under, party) = (&key, &party);
        let is_signer = party.form().role == SignerRole::Signer;
        let answer = |opened: &_| views::opened_signer(self.ceremonies.links(), opened);
        let opened = self
            .idempotency
            .commit_outcome(caller.claim, &[id], answer, |tx| {
                Box::pin(async move {
                    let mut row = changeable(tx, caller, id).await?;
                    refuse_known_email(tx, under, &row, &party.form().email).await?;
                    party.queue(&mut row, tx)?;
                    let recovery_url = self.recovery_url.as_ref();
                    funding::reserve(tx, caller, usize::from(is_signer), recovery_url).await?;
                    if is_signer && self.check_mail(row.delivery).is_err() {
                        return Err(SigningError::CannotInvite);
                    }
                    Ok::<_, SigningError>(party.join(tx, under, &row).await?)
                })
            })
            .await?;
        tracing::info!(signing.id = %id, signer.id = %party.id(), "signer added");
        self.ceremonies.announce(id);
        Ok(opened)
    }
}

/// Refuses the address of another party: a mailbox may belong to one party
/// only.
async fn refuse_known_email(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    email: &str,
) -> Result<(), SigningError> {
    let email = mailbox(email);
    for party in &row.ceremony.signers {
        let known = signer_private(tx, key, party.id.uuid()).await?;
        if mailbox(&known.email) == email {
            return Err(SigningError::KnownEmail(party.id));
        }
    }
    Ok(())
}
