use parafa_domain::AuthenticationStatus;
use parafa_store::jobs::{self, HastenOutcome};
use uuid::Uuid;

use crate::authentications::{Authentications, request_in};
use crate::drive::{self, LANE};
use crate::error::AuthError;
use crate::metrics::Ended;

impl Authentications {
    /// Cancels a request.
    ///
    /// # Errors
    /// [`AuthError`]; a request that has ended is unchanged.
    pub async fn cancel(&self, id: Uuid) -> Result<(), AuthError> {
        let ended = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = request_in(tx, id).await?;
                    let now = tx.now();
                    let was_pending = row.state.status(now) == AuthenticationStatus::Pending;
                    row.state.cancel(now)?;
                    row.pairing = None;
                    let unique = drive::unique(id);
                    // A step in progress may still reach the phone; its end
                    // settles this.
                    if jobs::hasten(tx, LANE, &unique, now).await? == HastenOutcome::Due {
                        jobs::cancel(tx, LANE, &unique).await?;
                        if was_pending {
                            row.person = None;
                        }
                    }
                    tx.put(&row).await?;
                    Ok::<_, AuthError>(Ended::of(&row, now))
                })
            })
            .await?;
        self.changes.announce(id);
        ended.tell();
        Ok(())
    }
}
