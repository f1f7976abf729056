//! Return of the app to the page that opened it.

use parafa_store::jobs;
use parafa_store::keys::hash_token;

use super::{Access, Ceremonies, OpenedLink};
use crate::attempt::ATTEMPTS;
use crate::error::CeremonyError;
use crate::records::AttemptRow;
use crate::{attempt, sealing};

impl Ceremonies {
    /// Accepts the app's return to the page that opened it. A return without
    /// the secrets of this attempt's link changes nothing.
    ///
    /// # Errors
    /// [`CeremonyError::NotFound`] once the signer has signed, except for a
    /// repetition of the return that the signature waited for.
    pub async fn return_from_app(
        &self,
        link: &OpenedLink,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<(), CeremonyError> {
        let Some(id) = link.party()?.attempt else {
            return Ok(());
        };
        let told = hash_token(&format!("{value} {session_secret_digest}")).to_string();
        if link.access == Access::Read {
            let attempt = self.records.store.get::<AttemptRow>(&id.uuid()).await?;
            let returned_with = attempt.and_then(|attempt| attempt.returned_with);
            let is_repeated = returned_with.is_some_and(|returned_with| returned_with == told);
            return is_repeated.then_some(()).ok_or(CeremonyError::NotFound);
        }
        let key = self.reader.key_to(&link.row).await?;
        let (told, ceremonies) = (&told, self);
        let (key, id, ceremony) = (&key, id.uuid(), link.row.ceremony.id.uuid());
        let returned = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let attempt = tx.get::<AttemptRow>(&id).await?;
                    let running = attempt.filter(|attempt| !attempt.phase.is_terminal());
                    let Some(mut attempt) = running else {
                        return Ok(false);
                    };
                    let Some(sealed) = attempt.device_link.as_ref() else {
                        return Ok(false);
                    };
                    let open = sealing::open(key, id, sealed)?;
                    let admitted = ceremonies.admits_callback(
                        &attempt,
                        &open,
                        value,
                        session_secret_digest,
                    )?;
                    if admitted && !attempt.returned {
                        attempt.returned = true;
                        attempt.returned_with = Some(told.clone());
                        tx.put(&attempt).await?;
                        let now = tx.now();
                        jobs::hasten(tx, ATTEMPTS, &attempt::unique_key(id), now).await?;
                    }
                    Ok::<_, CeremonyError>(admitted)
                })
            })
            .await?;
        if !returned {
            tracing::warn!(signing.id = %ceremony, attempt.id = %id, "a return from the app does not fit its attempt");
        }
        self.changes.announce(ceremony);
        self.work.notify_one();
        Ok(())
    }
}
