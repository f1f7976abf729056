//! The operations of the API: one table feeds the routes and the OpenAPI
//! document.

use parafa_api_http::{Credential, Operation, Path, Security, Tag};

use crate::api::{AuthApi, AuthenticationId};
use crate::problem::ErrorCode::{
    self, BadSignature, CertificateChain, CertificateExpired, CertificatePurpose,
    CertificateRevoked, DtbsMismatch, ForbiddenFormat, ForbiddenOrigin, ForbiddenTenant,
    IdentityMismatch, IdentitySwap, NotFound, OperationTokenSpent, RevocationUnavailable,
    TerminalRequest, UnsupportedAlgorithm,
};
use crate::requests::{
    CertificateSubmission, CompletionRequest, CreateAuthentication, PairingRequest, PollQuery,
};

const REQUESTS: Path<()> = Path::new("/v1/auth/requests");
const REQUEST: Path<AuthenticationId> = Path::new("/v1/auth/requests/{requestId}");
const CERTIFICATE: Path<AuthenticationId> = Path::new("/v1/auth/{requestId}/certificate");
const COMPLETION: Path<AuthenticationId> = Path::new("/v1/auth/{requestId}/complete");
const PAIRINGS: Path<()> = Path::new("/v1/auth/pairings");
const KEYS: Path<()> = Path::new(KEYS_PATH);
/// Path below the issuer (OpenID Connect Discovery 1.0, 4).
const CONFIGURATION: Path<()> = Path::new("/.well-known/openid-configuration");

/// Path of the keys of assertions.
pub const KEYS_PATH: &str = "/v1/auth/.well-known/jwks.json";

/// Time for which verifiers of assertions may cache the keys, in seconds.
pub const KEYS_ARE_FRESH_FOR: u32 = 300;

/// Tags of operations.
pub(crate) const TAGS: &[Tag] = &[OF_PROVIDERS, OF_CLIENTS];
const OF_PROVIDERS: Tag = Tag {
    name: "Providers",
    description: "Calls for a relying party's backend.",
};
const OF_CLIENTS: Tag = Tag {
    name: "Clients",
    description: "Calls for a page with a card reader, or for an app.",
};

const CLIENT_TOKEN: Credential = Credential {
    name: "clientToken",
    security: Security::Bearer("The client token of the request that the path names."),
    refusal: ErrorCode::InvalidClientToken.problem_type(),
};

/// All operations, in documentation order.
pub(crate) fn all<A: AuthApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(REQUESTS, "createAuthentication")
            .says(
                OF_PROVIDERS.name,
                "Create a request",
                "Creates a request for one method. For `physical` the answer has a client token, for `nfc` a pairing hint for an app. `smart_id` and `mobile_id` run on the server: show the person the code. `smart_id` without a personal code returns a device link: show its `qr` as a code to scan and, on the phone itself, its `sameDevice` as a button.",
            )
            .refuses(&[ForbiddenOrigin, ForbiddenFormat, ForbiddenTenant])
            .body::<CreateAuthentication>()
            .creates(async |call| call.api.create(&call.caller, call.request).await),
        Operation::<A>::get(REQUEST, "readAuthentication")
            .says(
                OF_PROVIDERS.name,
                "Read a request",
                "Returns the status of a request; with waitMs, once it changes. The QR code of a device link changes every second, so do not wait longer than that while you show one. A completed request has the person, a failed one the reason. Kept for an hour after its time.",
            )
            .refuses(&[ForbiddenTenant])
            .query::<PollQuery>()
            .answers(async |call| call.api.read(&call.caller, call.path, call.request).await),
        Operation::<A>::delete(REQUEST, "cancelAuthentication")
            .says(OF_PROVIDERS.name, "Cancel a request", "Cancels a request that has not ended.")
            .refuses(&[ForbiddenTenant, TerminalRequest])
            .does(async |call| call.api.cancel(&call.caller, call.path).await),
        Operation::<A>::get(KEYS, "readAssertionKeys")
            .says(
                OF_PROVIDERS.name,
                "List the keys",
                "The keys that verify assertions: the current signing key, and earlier keys whose assertions may still be valid.",
            )
            .for_anybody(A::anybody)
            .fresh_for(KEYS_ARE_FRESH_FOR)
            .answers(async |call| call.api.keys().await),
        Operation::<A>::get(CONFIGURATION, "readOpenIdConfiguration")
            .says(
                OF_PROVIDERS.name,
                "Read the OpenID configuration",
                "The metadata with which OpenID Connect libraries verify assertions: issuer, address of the keys, and algorithm.",
            )
            .for_anybody(A::anybody)
            .fresh_for(KEYS_ARE_FRESH_FOR)
            .answers(async |call| Ok(call.api.openid_configuration())),
        Operation::<A>::post(CERTIFICATE, "submitCertificate")
            .says(
                OF_CLIENTS.name,
                "Submit the certificate",
                "Takes the card's authentication certificate and returns the data that the card has to sign. The first accepted certificate binds the request to its holder. Submitting it again returns the same data with a new operation token.",
            )
            .by(CLIENT_TOKEN)
            .from_pages(ForbiddenOrigin.problem_type())
            .refuses(&[
                ForbiddenTenant,
                OperationTokenSpent,
                IdentitySwap,
                TerminalRequest,
                CertificatePurpose,
                CertificateChain,
                CertificateRevoked,
                CertificateExpired,
                RevocationUnavailable,
                UnsupportedAlgorithm,
                IdentityMismatch,
            ])
            .body::<CertificateSubmission>()
            .answers(async |call| call.api.receive_certificate(call.path, call.request).await),
        Operation::<A>::post(COMPLETION, "completeAuthentication")
            .says(
                OF_CLIENTS.name,
                "Complete a request",
                "Takes the card's signature and returns who authenticated. The first call uses up the operation token; repeating it returns the same answer. A signature that does not verify ends the request.",
            )
            .by(CLIENT_TOKEN)
            .from_pages(ForbiddenOrigin.problem_type())
            .refuses(&[
                ForbiddenFormat,
                ForbiddenTenant,
                OperationTokenSpent,
                TerminalRequest,
                DtbsMismatch,
                BadSignature,
                UnsupportedAlgorithm,
            ])
            .body::<CompletionRequest>()
            .answers(async |call| call.api.complete(call.path, call.request).await),
        Operation::<A>::post(PAIRINGS, "pairClient")
            .says(
                OF_CLIENTS.name,
                "Pair an app",
                "Exchanges the code of a pairing hint for the client token of its request, once. The answer names the provider: show it to the person before the PIN.",
            )
            .for_anybody(A::anybody)
            .refuses(&[NotFound])
            .body::<PairingRequest>()
            .answers(async |call| call.api.pair(call.request).await)
            .against_guesses(),
    ]
}
