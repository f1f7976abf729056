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
/// Behind the issuer (OpenID Connect Discovery 1.0, 4).
const CONFIGURATION: Path<()> = Path::new("/.well-known/openid-configuration");

/// Where the keys of assertions are.
pub const KEYS_PATH: &str = "/v1/auth/.well-known/jwks.json";

/// How long whoever verifies assertions may keep the keys, in seconds.
pub const KEYS_ARE_FRESH_FOR: u32 = 300;

/// What operations are about.
pub(crate) const TAGS: &[Tag] = &[OF_PROVIDERS, OF_CLIENTS];
const OF_PROVIDERS: Tag = Tag {
    name: "Providers",
    description: "What a relying party's backend calls.",
};
const OF_CLIENTS: Tag = Tag {
    name: "Clients",
    description: "What a page with a card reader or an app calls.",
};

const CLIENT_TOKEN: Credential = Credential {
    name: "clientToken",
    security: Security::Bearer("The client token of the request that the path names."),
    refusal: ErrorCode::InvalidClientToken.problem_type(),
};

/// All operations, in the order in which they are documented.
pub(crate) fn all<A: AuthApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(REQUESTS, "createAuthentication")
            .says(
                OF_PROVIDERS.name,
                "Begin",
                "Has somebody authenticate with one method. For `physical` the answer holds the client's token, for `nfc` what pairs an app; `smart_id` and `mobile_id` run on the server, and the code is shown to the person. `smart_id` without a personal code is answered with a device link: its `qr` is shown as a code to scan, its `sameDevice` as a button where the page is on the phone itself.",
            )
            .refuses(&[ForbiddenOrigin, ForbiddenFormat, ForbiddenTenant])
            .body::<CreateAuthentication>()
            .creates(async |call| call.api.create(&call.caller, call.request).await),
        Operation::<A>::get(REQUEST, "readAuthentication")
            .says(
                OF_PROVIDERS.name,
                "Read",
                "Tells how far a request is; with waitMs, once that changes. The code to scan of a device link is another one each second, so wait no longer than that while one is shown. A completed one tells who authenticated, a failed one why nobody did. Kept for an hour after its time.",
            )
            .refuses(&[ForbiddenTenant])
            .query::<PollQuery>()
            .answers(async |call| call.api.read(&call.caller, call.path, call.request).await),
        Operation::<A>::delete(REQUEST, "cancelAuthentication")
            .says(OF_PROVIDERS.name, "Cancel", "Calls a request off that has not ended.")
            .refuses(&[ForbiddenTenant, TerminalRequest])
            .does(async |call| call.api.cancel(&call.caller, call.path).await),
        Operation::<A>::get(KEYS, "readAssertionKeys")
            .says(
                OF_PROVIDERS.name,
                "Keys",
                "The keys that verify assertions: the one that signs, and those before it whose assertions may still be valid.",
            )
            .for_anybody(A::anybody)
            .fresh_for(KEYS_ARE_FRESH_FOR)
            .answers(async |call| call.api.keys().await),
        Operation::<A>::get(CONFIGURATION, "readOpenIdConfiguration")
            .says(
                OF_PROVIDERS.name,
                "OpenID configuration",
                "What a library for OpenID Connect needs to verify assertions: their issuer, the address of the keys, and the algorithm.",
            )
            .for_anybody(A::anybody)
            .fresh_for(KEYS_ARE_FRESH_FOR)
            .answers(async |call| Ok(call.api.openid_configuration())),
        Operation::<A>::post(CERTIFICATE, "submitCertificate")
            .says(
                OF_CLIENTS.name,
                "Submit the certificate",
                "Takes the card's authentication certificate and answers what the card is to sign. The first certificate that is accepted binds the request to its holder. Submitted again, it has the same data to be signed and a new operation token.",
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
                "Complete",
                "Takes what the card signed and answers who authenticated. The operation token is used up by the first call, whose repetition gets the same answer; a signature that does not verify ends the request.",
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
                "Pair",
                "Exchanges the code of a pairing hint for the client token of its request, once, and tells for whom the person authenticates: an app shows it before the PIN.",
            )
            .for_anybody(A::anybody)
            .refuses(&[NotFound])
            .body::<PairingRequest>()
            .answers(async |call| call.api.pair(call.request).await),
    ]
}
