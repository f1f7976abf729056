//! Every problem that the API answers with.

use parafa_api_http::deliveries;

use crate::kyc::problems;

parafa_api_http::problem_kinds! {
    /// Kind of a refusal.
    pub enum ProblemKind {
        ValidationFailed = VALIDATION_FAILED;
        Unauthorized = UNAUTHORIZED;
        PaymentRequired = PAYMENT_REQUIRED;
        Forbidden = FORBIDDEN;
        SandboxOnly = SANDBOX_ONLY;
        NotFound = NOT_FOUND;
        NoData = [NOT_FOUND, "no-data", "The register holds nothing",
            "The register was asked and holds nothing on this subject; nothing was charged.",
            "Check the code. If it is right, the register has no such data."];
        MethodNotAllowed = METHOD_NOT_ALLOWED;
        RequestTimeout = REQUEST_TIMEOUT;
        PayloadTooLarge = PAYLOAD_TOO_LARGE;
        UriTooLong = URI_TOO_LONG;
        HeadersTooLarge = HEADERS_TOO_LARGE;
        UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE;
        ArtifactNotReady = (problems::ARTIFACT_NOT_READY);
        OrderEnded = (problems::ORDER_ENDED);
        OrderNotEnded = (problems::ORDER_NOT_ENDED);
        DeliveryUnderWay = (deliveries::DELIVERY_UNDER_WAY);
        IdempotencyInProgress = IDEMPOTENCY_IN_PROGRESS;
        RoleNotHeld = (problems::ROLE_NOT_HELD);
        RegisterNotOffered = (problems::REGISTER_NOT_OFFERED);
        IdempotencyKeyReused = IDEMPOTENCY_KEY_REUSED;
        RateLimited = RATE_LIMITED;
        QuotaExceeded = (parafa_api_ceremony::problems::QUOTA_EXCEEDED);
        UpstreamUnavailable = (problems::UPSTREAM_UNAVAILABLE);
        Unavailable = UNAVAILABLE;
        SignatureUnavailable = (problems::SIGNATURE_UNAVAILABLE);
    }
}
