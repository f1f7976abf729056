//! Refusals of orders alone.

use http::StatusCode;
use parafa_api_http::ProblemType;

/// 422: the role has no holder.
pub const ROLE_NOT_HELD: ProblemType = ProblemType {
    status: StatusCode::UNPROCESSABLE_ENTITY,
    name: "role-not-held",
    title: "Nobody holds the role",
    meaning: "According to the register, nobody holds this role in the entity; nothing was created or charged.",
    remedy: "Order for a role that somebody holds in the entity.",
};
/// 409: there is no container yet.
pub const ARTIFACT_NOT_READY: ProblemType = ProblemType {
    status: StatusCode::CONFLICT,
    name: "artifact-not-ready",
    title: "The package is not ready",
    meaning: "The order has not been delivered yet.",
    remedy: "Wait for the callback, or read the order until it is delivered.",
};
/// 409: nothing more happens to the order.
pub const ORDER_ENDED: ProblemType = ProblemType {
    status: StatusCode::CONFLICT,
    name: "order-ended",
    title: "The order has ended",
    meaning: "The order is in a final state.",
    remedy: "Read the order for its outcome.",
};
/// 409: only ended orders can be erased.
pub const ORDER_NOT_ENDED: ProblemType = ProblemType {
    status: StatusCode::CONFLICT,
    name: "order-not-ended",
    title: "The order has not ended",
    meaning: "The order is still awaiting its subject or being verified; only ended orders can be erased.",
    remedy: "Wait for the callback, or read the order until it has ended, and repeat the request.",
};
/// 503: there is no attorney's signature to be had.
pub const SIGNATURE_UNAVAILABLE: ProblemType = ProblemType {
    status: StatusCode::SERVICE_UNAVAILABLE,
    name: "signature-unavailable",
    title: "Answers cannot be signed now",
    meaning: "The service's signing key, or something that it needs, is unavailable; nothing was charged.",
    remedy: "Try again later, or ask for an unsigned answer.",
};
/// 422: no source of the register is configured.
pub const REGISTER_NOT_OFFERED: ProblemType = ProblemType {
    status: StatusCode::UNPROCESSABLE_ENTITY,
    name: "register-not-offered",
    title: "The register is not available here",
    meaning: "No source is set up here for a register that this answer needs; it was not asked, and nothing was charged.",
    remedy: "Asking again does not help; contact the operator.",
};
/// 502: a register did not answer.
pub const UPSTREAM_UNAVAILABLE: ProblemType = ProblemType {
    status: StatusCode::BAD_GATEWAY,
    name: "upstream-unavailable",
    title: "A register did not answer",
    meaning: "A register that this answer needs is down, or its answer cannot be used; nothing was charged.",
    remedy: "Try again later.",
};
