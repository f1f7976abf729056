//! Every refusal of the API, by its code.

use parafa_api_http::ProblemType;

parafa_api_http::problem_kinds! {
    /// Kind of a refusal: the `code` of the error envelope.
    pub enum ErrorCode {
        InvalidRequest = [UNPROCESSABLE_ENTITY, "invalid_request", "The request is not valid",
            "Members of the body or parameters of the query are missing, unknown or malformed.",
            "Correct each fault that the message lists."];
        Unauthorized = [UNAUTHORIZED, "unauthorized", "The credentials are missing or not valid",
            "The request has no valid key id and secret.",
            "Send Authorization: Basic with the key's id and secret; ask for new ones if they were revoked."];
        InvalidClientToken = [UNAUTHORIZED, "invalid_client_token", "The client token is missing or not valid",
            "The request has no valid client token of this authentication request.",
            "Send Authorization: Bearer with the client token of this request; if it has expired, begin a new request."];
        ForbiddenOrigin = [FORBIDDEN, "forbidden_origin", "The origin is not permitted",
            "The audience is not on the provider's allow-list, or a page of another origin made the call.",
            "Use an origin on the allow-list, written exactly as it is there, and call from its pages."];
        ForbiddenFormat = [FORBIDDEN, "forbidden_format", "The format is not permitted",
            "The method or the signature's encoding is not one that this provider is set up for.",
            "Use another method or encoding, or have the provider set up for this one."];
        ForbiddenTenant = [FORBIDDEN, "forbidden_tenant", "The workspace is suspended",
            "The workspace that the provider belongs to is suspended at present.",
            "Contact the operator of the service."];
        NotFound = [NOT_FOUND, "not_found", "Not found",
            "The path is unknown, or there is no such request or code.",
            "Check the path and the id; requests are kept for an hour after they end, codes work once."];
        MethodNotAllowed = [METHOD_NOT_ALLOWED, "method_not_allowed", "The method is not allowed here",
            "The path exists, but not with this method.",
            "Use one of the methods that the Allow header lists."];
        RequestTimeout = [REQUEST_TIMEOUT, "request_timeout", "The body arrived too slowly",
            "The request body stopped arriving, or arrived more slowly than the service accepts.",
            "Repeat the request over a better connection."];
        PayloadTooLarge = [PAYLOAD_TOO_LARGE, "payload_too_large", "The body is too large",
            "The request body is larger than this call accepts.",
            "Send only what the call asks for."];
        UnsupportedMediaType = [UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The media type is not supported",
            "The Content-Type of the request body is not plain JSON.",
            "Send the body as application/json, without a content encoding."];
        OperationTokenSpent = [CONFLICT, "operation_token_spent", "The operation token can no longer be used",
            "The operation token was used with another signature, was replaced when a later certificate was sent, has expired, or was never issued.",
            "Submit the certificate again for a new token, unless the request has ended."];
        IdentitySwap = [CONFLICT, "identity_swap", "Another person's certificate was accepted before",
            "The request is bound to the person whose certificate was accepted first.",
            "Continue with that person's certificate, or begin a new request."];
        TerminalRequest = [CONFLICT, "terminal_request", "The request has ended",
            "The request is completed, failed, expired or cancelled.",
            "Begin a new request."];
        IdempotencyConflict = [CONFLICT, "idempotency_conflict", "The Idempotency-Key is in use",
            "The same Idempotency-Key was sent with a different request within the last day, or its request is still running.",
            "Use a new key for a new request; repeat the same request a little later."];
        CertificatePurpose = [UNPROCESSABLE_ENTITY, "certificate_purpose", "The certificate is not for authentication",
            "The certificate's key is for signatures, for another method, or for a purpose other than authentication.",
            "Submit the authentication certificate of the card."];
        CertificateChain = [UNPROCESSABLE_ENTITY, "certificate_chain", "The certificate is not trusted",
            "The certificate does not chain to an authority that is trusted for this method, or it cannot be read.",
            "Submit the certificate in DER, exactly as it is on the card."];
        CertificateRevoked = [UNPROCESSABLE_ENTITY, "certificate_revoked", "The certificate is revoked",
            "The certificate's issuer has revoked or suspended it, or does not know it.",
            "Use another card."];
        CertificateExpired = [UNPROCESSABLE_ENTITY, "certificate_expired", "The certificate is not valid now",
            "The certificate has expired or is not valid yet.",
            "Use another card."];
        RevocationUnavailable = [UNPROCESSABLE_ENTITY, "revocation_unavailable", "The revocation status is not available",
            "The issuer of the certificate does not say whether it is revoked.",
            "Submit the certificate again a little later."];
        DtbsMismatch = [UNPROCESSABLE_ENTITY, "dtbs_mismatch", "The signature covers other data",
            "The certificate's key made the signature, but over other data than the data to be signed.",
            "Begin a new request: decode dtbs from base64, hash its bytes once with SHA-256, and have the card sign that digest."];
        BadSignature = [UNPROCESSABLE_ENTITY, "bad_signature", "The signature does not verify",
            "The certificate's key did not make this signature over the data to be signed.",
            "Begin a new request, and have the card sign with the key of the submitted certificate."];
        UnsupportedAlgorithm = [UNPROCESSABLE_ENTITY, "unsupported_algorithm", "The algorithm is not supported",
            "The signature's algorithm or encoding, or the certificate's key, is not supported here.",
            "Use ES256 with P1363 or DER for an EC key, or RS256 or PS256 with RAW for an RSA key."];
        IdentityMismatch = [UNPROCESSABLE_ENTITY, "identity_mismatch", "Another person was asked for",
            "The certificate does not belong to the person whose personal code was given, or has no national identifier.",
            "Have the right person authenticate."];
        RateLimited = [TOO_MANY_REQUESTS, "rate_limited", "Too many requests",
            "A rate limit of the key, the address or the person has been reached.",
            "Wait for the time in the Retry-After header."];
        UpstreamUnavailable = [SERVICE_UNAVAILABLE, "upstream_unavailable", "The service cannot do this now",
            "Something that the request needs is unavailable; nothing was changed.",
            "Try again later, after the time in the Retry-After header if there is one."];
    }
}

impl ErrorCode {
    /// Returns true if the same request may succeed later.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::RevocationUnavailable | Self::UpstreamUnavailable
        )
    }

    /// The API's own code for a problem that several APIs have.
    pub(crate) fn in_place_of(common: ProblemType) -> Option<Self> {
        Some(match common {
            ProblemType::VALIDATION_FAILED => Self::InvalidRequest,
            ProblemType::UNAUTHORIZED => Self::Unauthorized,
            ProblemType::FORBIDDEN => Self::ForbiddenFormat,
            ProblemType::NOT_FOUND => Self::NotFound,
            ProblemType::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            ProblemType::REQUEST_TIMEOUT => Self::RequestTimeout,
            ProblemType::PAYLOAD_TOO_LARGE => Self::PayloadTooLarge,
            ProblemType::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedMediaType,
            ProblemType::IDEMPOTENCY_IN_PROGRESS | ProblemType::IDEMPOTENCY_KEY_REUSED => {
                Self::IdempotencyConflict
            }
            ProblemType::RATE_LIMITED => Self::RateLimited,
            ProblemType::UNAVAILABLE => Self::UpstreamUnavailable,
            _ => return None,
        })
    }
}
