//! The audit trail of a ceremony.

use parafa_domain::CeremonyEvent;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use crate::error::CeremonyError;

/// Appends an audit event for each transition.
pub(super) async fn record_events(
    tx: &mut Transaction<'_>,
    ceremony: Uuid,
    events: &[CeremonyEvent],
) -> Result<(), CeremonyError> {
    for event in events {
        let (name, signer) = match *event {
            CeremonyEvent::Cancelled => ("signing.cancelled", None),
            CeremonyEvent::Completed => ("signing.completed", None),
            CeremonyEvent::Declined => ("signing.declined", None),
            CeremonyEvent::Expired => ("signing.expired", None),
            CeremonyEvent::Failed => ("signing.failed", None),
            CeremonyEvent::SignerDeclined(signer) => ("signing.signer_declined", Some(signer)),
            CeremonyEvent::SignerReleased(signer) => ("signing.signer_released", Some(signer)),
            CeremonyEvent::SignerSigned(signer) => ("signing.signer_signed", Some(signer)),
        };
        let fields = match signer {
            Some(signer) => audit::Fields::new().reference("signer", signer),
            None => audit::Fields::new(),
        };
        audit::append(tx, ceremony, name, fields).await?;
    }
    Ok(())
}
