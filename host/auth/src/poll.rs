use std::time::Duration;

use parafa_api_auth::views::Authentication;
use parafa_domain::AuthenticationStatus;
use tokio::time::Instant;
use uuid::Uuid;

use crate::api::views::{self, Shown};
use crate::authentications::Authentications;
use crate::error::AuthError;
use crate::records::RequestRow;

impl Authentications {
    /// Returns the state of a request once it changes, or after `wait`. If too
    /// many calls wait for one request, answers at once.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn read(&self, id: Uuid, wait: Duration) -> Result<Authentication, AuthError> {
        let deadline = Instant::now() + wait;
        let mut changes = self.changes.listen(id);
        let waiter = (!wait.is_zero()).then(|| self.waiting.enter(id)).flatten();
        let (mut row, mut status) = self.status(id).await?;
        let first = status;
        while waiter.is_some()
            && status == first
            && !status.is_terminal()
            && !self.stop.is_cancelled()
            && Instant::now() < deadline
        {
            let pause = deadline.min(Instant::now() + self.waiting.pause());
            // In either case the request is read again.
            let _ = tokio::time::timeout_at(pause, changes.changed()).await;
            (row, status) = self.status(id).await?;
        }
        let private = row.open(&self.records.master)?;
        let now = self.records.store.now().await?;
        let device_link = match status.is_terminal() {
            true => None,
            false => self.shown_link(row.state.method(), &private, now)?,
        };
        let has_returned = private.proof.is_some() && private.returned_with.is_some();
        let shown = Shown {
            return_code: has_returned.then(|| self.return_code(id)),
            proof: private.proof,
            device_link,
        };
        Ok(views::authentication(&row, status, shown))
    }

    async fn status(&self, id: Uuid) -> Result<(RequestRow, AuthenticationStatus), AuthError> {
        let row = self.request(id).await?;
        let status = row.state.status(self.records.store.now().await?);
        Ok((row, status))
    }
}
