//! Presence of signers on their pages, by which they keep the turn.

use jiff::Timestamp;
use parafa_domain::SignerId;

use super::{Access, Ceremonies, OpenedLink};
use crate::error::CeremonyError;
use crate::records::CeremonyRow;

impl Ceremonies {
    /// Notes a sign of life of a signer's page, where the turn would end
    /// otherwise. A failure does not affect the read.
    pub(super) async fn note_presence(&self, link: &OpenedLink, now: Timestamp) {
        let signer = SignerId::new(link.signer);
        let ceremony = &link.row.ceremony;
        if link.access != Access::Sign || !ceremony.wants_presence(signer, now) {
            return;
        }
        let id = ceremony.id.uuid();
        let noted = self.records.transact(|tx| {
            Box::pin(async move {
                if let Some(mut row) = tx.get::<CeremonyRow>(&id).await? {
                    row.ceremony.note_presence(signer, tx.now());
                    tx.put(&row).await?;
                }
                Ok::<_, CeremonyError>(())
            })
        });
        if let Err(error) = noted.await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(signing.id = %id, error, "a signer's presence cannot be recorded");
        }
    }
}
