//! Refusals of orders alone.

parafa_api_http::problem_types! {
    ROLE_NOT_HELD: UNPROCESSABLE_ENTITY, "role-not-held", "Nobody holds the role",
        "According to the register, nobody holds this role in the entity; nothing was created or charged.",
        "Order for a role that somebody holds in the entity.";
    ARTIFACT_NOT_READY: CONFLICT, "artifact-not-ready", "The package is not ready",
        "The order has not been delivered yet.",
        "Wait for the callback, or read the order until it is delivered.";
    ORDER_ENDED: CONFLICT, "order-ended", "The order has ended",
        "The order is in a final state.",
        "Read the order for its outcome.";
    ORDER_NOT_ENDED: CONFLICT, "order-not-ended", "The order has not ended",
        "The order is still awaiting its subject or being verified, which has to end first.",
        "Wait for the callback, or read the order until it has ended, and repeat the request.";
    SIGNATURE_UNAVAILABLE: SERVICE_UNAVAILABLE, "signature-unavailable", "Answers cannot be signed now",
        "The service's signing key, or something that it needs, is unavailable; nothing was charged.",
        "Try again later, or ask for an unsigned answer.";
    REGISTER_NOT_OFFERED: UNPROCESSABLE_ENTITY, "register-not-offered", "The register is not available here",
        "No source is set up here for a register that this answer needs; it was not asked, and nothing was charged.",
        "Asking again does not help; contact the operator.";
    UPSTREAM_UNAVAILABLE: BAD_GATEWAY, "upstream-unavailable", "A register did not answer",
        "A register that this answer needs is down, or its answer cannot be used; nothing was charged.",
        "Try again later.";
}
