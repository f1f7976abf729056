//! Every refusal of the API, by its code.

use parafa_api_http::ProblemType;

parafa_api_http::problem_kinds! {
    /// What kind of refusal it is: the `code` of the error envelope.
    pub enum ErrorCode {
        InvalidRequest = [UNPROCESSABLE_ENTITY, "invalid_request", "The request is not valid",
            "Members of the body or parameters of the query are missing, unknown or malformed.",
            "Correct what the message lists, each fault with its place."];
        Unauthorized = [UNAUTHORIZED, "unauthorized", "The credentials are missing or do not work",
            "The request carries no key id and secret that work.",
            "Send Authorization: Basic with the key's id and secret; ask for new ones if they were revoked."];
        InvalidClientToken = [UNAUTHORIZED, "invalid_client_token", "The client token is missing or does not work",
            "The request carries no client token of this request that still works.",
            "Send Authorization: Bearer with the client token of this request; if its time is over, begin with a new request."];
        ForbiddenOrigin = [FORBIDDEN, "forbidden_origin", "The origin is not permitted",
            "The audience is not on the provider's allow-list, or a page of another origin makes the call.",
            "Use an origin of the allow-list, written exactly as it stands there, and call from its pages."];
        ForbiddenFormat = [FORBIDDEN, "forbidden_format", "The format is not permitted",
            "The method or the signature's encoding is not one that this provider is set up for.",
            "Use another method or encoding, or have the provider set up for this one."];
        ForbiddenTenant = [FORBIDDEN, "forbidden_tenant", "The workspace is suspended",
            "The workspace that the provider belongs to may not be worked in at present.",
            "Ask the operator of the service."];
        NotFound = [NOT_FOUND, "not_found", "There is no such thing",
            "The path is unknown, or there is no such request or code.",
            "Check the path and the id; requests are kept for an hour after they end, codes work once."];
        MethodNotAllowed = [METHOD_NOT_ALLOWED, "method_not_allowed", "The method is not allowed here",
            "The path exists, but not with this method.",
            "Use one of the methods that the Allow header lists."];
        RequestTimeout = [REQUEST_TIMEOUT, "request_timeout", "The body came too slowly",
            "The request body stopped arriving, or came more slowly than the service waits for.",
            "Repeat the request over a better connection."];
        PayloadTooLarge = [PAYLOAD_TOO_LARGE, "payload_too_large", "The body is too large",
            "The request body is longer than this call takes.",
            "Send what the call asks for and nothing more."];
        UnsupportedMediaType = [UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The media type is not supported",
            "The request body is not declared as plain JSON.",
            "Send the body as application/json, without a content encoding."];
        OperationTokenSpent = [CONFLICT, "operation_token_spent", "The operation token is spent",
            "The operation token was used with another signature, was replaced by a later certificate, is over, or was never given.",
            "Submit the certificate again for a new token, unless the request has ended."];
        IdentitySwap = [CONFLICT, "identity_swap", "Another person's certificate was accepted before",
            "The request is bound to the person whose certificate was accepted first.",
            "Go on with that person's certificate, or begin a new request."];
        TerminalRequest = [CONFLICT, "terminal_request", "The request has ended",
            "The request is completed, failed, expired or cancelled.",
            "Begin a new request."];
        IdempotencyConflict = [CONFLICT, "idempotency_conflict", "The Idempotency-Key is taken",
            "The same Idempotency-Key came with a different request within the last day, or its request is still running.",
            "Use a new key for a new request; repeat the same request a little later."];
        CertificatePurpose = [UNPROCESSABLE_ENTITY, "certificate_purpose", "The certificate is not for authentication",
            "The certificate's key is for signatures, for another method, or for something else than authentication.",
            "Submit the authentication certificate of the card."];
        CertificateChain = [UNPROCESSABLE_ENTITY, "certificate_chain", "The certificate is not trusted",
            "No authority that is trusted for the method stands behind the certificate, or it cannot be read.",
            "Submit the certificate as it stands on the card, in DER."];
        CertificateRevoked = [UNPROCESSABLE_ENTITY, "certificate_revoked", "The certificate is revoked",
            "The certificate's issuer has revoked or suspended it, or does not know it.",
            "Use another card."];
        CertificateExpired = [UNPROCESSABLE_ENTITY, "certificate_expired", "The certificate is not valid now",
            "The certificate's validity is over or has not begun.",
            "Use another card."];
        RevocationUnavailable = [UNPROCESSABLE_ENTITY, "revocation_unavailable", "Nobody tells whether the certificate is revoked",
            "The issuer of the certificate does not answer whether it is revoked.",
            "Submit the certificate again a little later."];
        DtbsMismatch = [UNPROCESSABLE_ENTITY, "dtbs_mismatch", "The signature is over something else",
            "The certificate's key made the signature, over something else than the data to be signed.",
            "Decode dtbs from base64, hash its bytes once with SHA-256 and have the card sign that digest, in a new request."];
        BadSignature = [UNPROCESSABLE_ENTITY, "bad_signature", "The signature does not verify",
            "The signature is not one over the data to be signed by the certificate's key.",
            "Begin a new request, and have the card sign with the key of the submitted certificate."];
        UnsupportedAlgorithm = [UNPROCESSABLE_ENTITY, "unsupported_algorithm", "The algorithm is not supported",
            "The signature's algorithm or encoding, or the certificate's key, is not one that is verified here.",
            "Use ES256 as P1363 or DER, or RS256 or PS256 as RAW, as the certificate's key is."];
        IdentityMismatch = [UNPROCESSABLE_ENTITY, "identity_mismatch", "Somebody else is asked for",
            "The certificate is not that of the person whose personal code was given, or names no person by a national identifier.",
            "Have the right person authenticate."];
        RateLimited = [TOO_MANY_REQUESTS, "rate_limited", "Too many requests",
            "The key, the address or the person has used up a rate.",
            "Wait for the time in the Retry-After header."];
        UpstreamUnavailable = [SERVICE_UNAVAILABLE, "upstream_unavailable", "The service cannot do this now",
            "Something that the request needs is out of order; nothing was changed.",
            "Try again later, after the time in the Retry-After header if there is one."];
    }
}

impl ErrorCode {
    /// Whether the same request may be answered otherwise later.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::RevocationUnavailable | Self::UpstreamUnavailable
        )
    }

    /// What stands in the place of a problem that several APIs have.
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
