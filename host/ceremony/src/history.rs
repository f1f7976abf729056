//! The audit trail of a signing.

use parafa_domain::SigningEvent;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use crate::error::CeremonyError;

/// Appends an audit event for each transition.
pub(super) async fn record_events(
    tx: &mut Transaction<'_>,
    signing: Uuid,
    events: &[SigningEvent],
) -> Result<(), CeremonyError> {
    for event in events {
        let (name, signer) = match *event {
            SigningEvent::Cancelled => ("signing.cancelled", None),
            SigningEvent::Completed => ("signing.completed", None),
            SigningEvent::Declined => ("signing.declined", None),
            SigningEvent::Expired => ("signing.expired", None),
            SigningEvent::Failed => ("signing.failed", None),
            SigningEvent::SignerDeclined(signer) => ("signing.signer_declined", Some(signer)),
            SigningEvent::SignerReleased(signer) => ("signing.signer_released", Some(signer)),
            SigningEvent::SignerSigned(signer) => ("signing.signer_signed", Some(signer)),
        };
        let fields = match signer {
            Some(signer) => audit::Fields::new().reference("signer", signer),
            None => audit::Fields::new(),
        };
        audit::append(tx, signing, name, fields).await?;
    }
    Ok(())
}
