//! Every problem of the API: one table for the answers and for the pages of the types.

use parafa_api_ceremony::problems;
use parafa_api_http::deliveries;

parafa_api_http::problem_kinds! {
    /// Kind of a refusal.
    pub enum ProblemKind {
        ValidationFailed = VALIDATION_FAILED;
        DocumentRefused = [BAD_REQUEST, "document-refused", "The document is not accepted",
            "The document is damaged, protected or of a kind that cannot be signed.",
            "Read the detail, correct the document, and send it again."];
        FlattenRefused = [BAD_REQUEST, "flatten-refused", "The form cannot be flattened",
            "Some form fields have no appearance that can be drawn faithfully, so the form was not flattened.",
            "Give the fields that errors names an appearance, or sign the form without flattening it."];
        Unauthorized = UNAUTHORIZED;
        PaymentRequired = PAYMENT_REQUIRED;
        Forbidden = FORBIDDEN;
        SandboxOnly = SANDBOX_ONLY;
        NotFound = NOT_FOUND;
        MethodNotAllowed = METHOD_NOT_ALLOWED;
        RequestTimeout = REQUEST_TIMEOUT;
        PayloadTooLarge = PAYLOAD_TOO_LARGE;
        UriTooLong = URI_TOO_LONG;
        HeadersTooLarge = HEADERS_TOO_LARGE;
        UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE;
        SigningEnded = (problems::SIGNING_ENDED);
        NotYetSigned = (problems::NOT_YET_SIGNED);
        SigningInProgress = (problems::SIGNING_IN_PROGRESS);
        SignerNotOpen = (problems::SIGNER_NOT_OPEN);
        LastSigner = (problems::LAST_SIGNER);
        TooManySigners = (problems::TOO_MANY_SIGNERS);
        NotRemindable = (problems::NOT_REMINDABLE);
        SandboxNeverSigns = (problems::SANDBOX_NEVER_SIGNS);
        DocumentChanged = (problems::DOCUMENT_CHANGED);
        DeliveryUnderWay = (deliveries::DELIVERY_UNDER_WAY);
        IdempotencyInProgress = IDEMPOTENCY_IN_PROGRESS;
        ContainerUnsigned = [UNPROCESSABLE_ENTITY, "container-unsigned", "The container has no signature",
            "Only a signed container can be signed again, and this one has no signature.",
            "Post its files as a new container instead."];
        ContainerFinalized = [UNPROCESSABLE_ENTITY, "container-finalized", "The container is finalized",
            "The container does not allow another signature.",
            "Ask whoever made it for a version that is not finalized."];
        ContainerUnsound = [UNPROCESSABLE_ENTITY, "container-unsound", "The container is unsound",
            "The structure of the container or one of its signatures is broken.",
            "Ask whoever made it for an undamaged copy."];
        UnsupportedContainer = [UNPROCESSABLE_ENTITY, "unsupported-container", "The kind of container is not supported",
            "Containers of this kind, or signed in this way, cannot take another signature here.",
            "Post an ASiC-E container with XAdES signatures or an ADOC, or the files as a new container."];
        MdocNotAccepted = [UNPROCESSABLE_ENTITY, "mdoc-not-accepted", "MDOC is not accepted",
            "An MDOC takes a first signature only.",
            "Post the document that it holds."];
        ArchiveNotSupported = [UNPROCESSABLE_ENTITY, "archive-not-supported", "The format cannot be archived",
            "The signed output's format has no long-term level that the service could raise it to.",
            "Keep the signed output as it is."];
        ArchiveIncomplete = [UNPROCESSABLE_ENTITY, "archive-incomplete", "The archive cannot be completed",
            "A certificate in the document lacks the evidence that the long-term level needs.",
            "Read the detail for the certificate and what is missing; keep the signed output as it is."];
        IdempotencyKeyReused = IDEMPOTENCY_KEY_REUSED;
        RateLimited = RATE_LIMITED;
        ReminderTooSoon = (problems::REMINDER_TOO_SOON);
        QuotaExceeded = (problems::QUOTA_EXCEEDED);
        Unavailable = UNAVAILABLE;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_lead_back_to_their_kind() {
        let names: HashSet<_> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ProblemKind::ALL.len());
        for kind in ProblemKind::ALL {
            assert_eq!(ProblemKind::named(kind.name()), Some(*kind));
            assert!(
                kind.name()
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '-')
            );
        }
    }

    #[test]
    fn every_kind_is_a_refusal_with_words_for_a_person() {
        for kind in ProblemKind::ALL {
            assert!(
                kind.status().is_client_error() || kind.status().is_server_error(),
                "{kind:?}"
            );
            assert!(
                kind.problem_type().meaning.ends_with('.')
                    && kind.problem_type().remedy.ends_with('.'),
                "{kind:?}"
            );
            assert!(!kind.title().ends_with('.'), "{kind:?}");
        }
    }

    #[test]
    fn an_unknown_name_has_no_kind() {
        assert_eq!(ProblemKind::named("no-such-problem"), None);
    }
}
