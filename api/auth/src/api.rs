//! The trait behind the routes.

use async_trait::async_trait;
use parafa_api_http::{Api, Problem, ids};

use crate::requests::{
    AppReturn, CertificateSubmission, CompletionRequest, CreateAuthentication, PairingRequest,
    PollQuery,
};
use crate::views;
use crate::vocabulary::AuthenticationMethod;

ids! {
    /// The authentication request.
    AuthenticationId in "requestId";
}

/// Operations of the API, one method each.
///
/// Callers are of three kinds, and each operation is for one. A provider has its key, a client the
/// token of one request, and anybody may make the others. [`Api::presence`] restricts a client to
/// its own request.
#[async_trait]
pub trait AuthApi: Api<Record = AuthenticationId> {
    /// The caller without credentials.
    fn anybody() -> Self::Caller;

    /// The methods that are set up here. Must not block.
    fn methods(&self) -> Vec<AuthenticationMethod>;

    /// `POST /v1/auth/requests`.
    async fn create(
        &self,
        caller: &Self::Caller,
        request: CreateAuthentication,
    ) -> Result<views::CreatedAuthentication, Problem>;

    /// `GET /v1/auth/requests/{requestId}`.
    async fn read(
        &self,
        caller: &Self::Caller,
        id: AuthenticationId,
        query: PollQuery,
    ) -> Result<views::Authentication, Problem>;

    /// `DELETE /v1/auth/requests/{requestId}`.
    async fn cancel(&self, caller: &Self::Caller, id: AuthenticationId) -> Result<(), Problem>;

    /// `POST /v1/auth/{requestId}/certificate`.
    async fn receive_certificate(
        &self,
        id: AuthenticationId,
        request: CertificateSubmission,
    ) -> Result<views::DataToBeSigned, Problem>;

    /// `POST /v1/auth/{requestId}/complete`.
    async fn complete(
        &self,
        id: AuthenticationId,
        request: CompletionRequest,
    ) -> Result<views::CompletedAuthentication, Problem>;

    /// `POST /v1/auth/pairings`.
    async fn pair(&self, request: PairingRequest) -> Result<views::PairedClient, Problem>;

    /// `GET /auth/return/{requestId}`: the app came back from a request's device link. Returns
    /// where the person began, if the return is valid.
    async fn return_from_app(&self, id: AuthenticationId, returned: AppReturn) -> Option<String>;

    /// `GET /v1/auth/.well-known/jwks.json`.
    async fn keys(&self) -> Result<views::JsonWebKeySet, Problem>;

    /// `GET /.well-known/openid-configuration`.
    fn openid_configuration(&self) -> views::OpenIdConfiguration;
}
