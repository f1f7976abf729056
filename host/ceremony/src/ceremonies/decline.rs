//! Declining by the signer.

use super::{Access, Ceremonies, OpenedLink};
use crate::change;
use crate::error::CeremonyError;
use crate::records::CeremonyRow;

impl Ceremonies {
    /// Declines to sign.
    pub async fn decline(
        &self,
        link: &OpenedLink,
        reason: Option<String>,
    ) -> Result<CeremonyRow, CeremonyError> {
        if link.access != Access::Sign {
            return Err(CeremonyError::NotFound);
        }
        let key = self.reader.key_to(&link.row).await?;
        let (ceremony, signer) = (link.row.ceremony.id.uuid(), link.party()?.id);
        let (key, reason) = (&key, &reason);
        let declined = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<CeremonyRow>(&ceremony).await?;
                    let row = row.filter(|row| row.erased_at.is_none());
                    let mut row = row.ok_or(CeremonyError::NotFound)?;
                    let before = row.ceremony.clone();
                    let events = row.ceremony.decline(signer, tx.now())?;
                    change::change_private(tx, key, signer, |private| {
                        private.decline_reason.clone_from(reason);
                    })
                    .await?;
                    change::store(tx, &self.owners, key, &before, &row, &events).await?;
                    Ok::<_, CeremonyError>(row)
                })
            })
            .await?;
        tracing::info!(signing.id = %ceremony, signer.id = %signer, "signer declined");
        self.changes.announce(ceremony);
        self.work.notify_one();
        Ok(declined)
    }
}
