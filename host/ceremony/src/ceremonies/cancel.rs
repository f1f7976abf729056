//! Cancellation by the caller.

use parafa_platform::accounts::Caller;
use uuid::Uuid;

use super::Ceremonies;
use crate::change;
use crate::error::CeremonyError;
use crate::reader::UnsealedCeremony;

impl Ceremonies {
    /// Cancels a ceremony that has not ended: its links stop working at once,
    /// and data captured about those who have not signed are deleted.
    pub async fn cancel(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<UnsealedCeremony, CeremonyError> {
        let key = self.reader.key_of(caller, id).await?;
        let (stored_under, caller) = (&key, *caller);
        let opened = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let before = row.ceremony.clone();
                    let events = row
                        .ceremony
                        .cancel(tx.now())
                        .map_err(|_| CeremonyError::SigningEnded(before.status))?;
                    change::store(tx, &self.owners, stored_under, &before, &row, &events).await?;
                    UnsealedCeremony::read(tx, stored_under, row).await
                })
            })
            .await?;
        tracing::info!(signing.id = %id, "signing cancelled");
        self.announce(id);
        Ok(opened)
    }
}
