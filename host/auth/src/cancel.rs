use parafa_store::jobs;
use uuid::Uuid;

use crate::authentications::{Authentications, request_in};
use crate::drive::{self, LANE};
use crate::error::AuthError;

impl Authentications {
    /// Calls a request off.
    ///
    /// # Errors
    /// [`AuthError`]; one that has ended stays as it is.
    pub async fn cancel(&self, id: Uuid) -> Result<(), AuthError> {
        self.records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = request_in(tx, id).await?;
                    row.state.cancel(tx.now())?;
                    row.pairing = None;
                    tx.put(&row).await?;
                    jobs::cancel(tx, LANE, &drive::unique(id)).await?;
                    Ok::<_, AuthError>(())
                })
            })
            .await?;
        self.changes.announce(id);
        Ok(())
    }
}
