use super::Named;
use crate::openapi::schema::{Schema, optional, required};
use crate::vocabulary::SigningEventKind;

pub(super) fn schemas() -> Vec<Named> {
    vec![("SigningEvent", event()), ("EventSigner", signer())]
}

fn event() -> Schema {
    Schema::object([
        required("event", Schema::one_of::<SigningEventKind>()),
        required("signingId", Schema::uuid()),
        required("status", Schema::named("SigningStatus")),
        required("externalId", Schema::string().nullable()),
        required("occurredAt", Schema::date_time()),
        optional("completionMode", Schema::named("CompletionMode")),
        optional("signer", Schema::named("EventSigner")),
        optional("document", Schema::named("SignedDocument")),
    ])
}

fn signer() -> Schema {
    Schema::object([
        required("signerId", Schema::uuid()),
        required("email", Schema::email()),
        required("status", Schema::named("SignerStatus")),
        optional("declineReason", Schema::string()),
    ])
}
