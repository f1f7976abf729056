use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;
use parafa_api_auth::requests::{
    AppReturn, CertificateSubmission, CompletionRequest, CreateAuthentication, PairingRequest,
    PollQuery,
};
use parafa_api_auth::{
    AuthApi, AuthenticationId, AuthenticationMethod, ErrorCode, KEYS_PATH, views as api,
};
use parafa_api_http::{
    Access, Api, Credentials, IdempotentRequest, Presence, Principal, Problem, Reservation,
};
use parafa_platform::idempotency::Claim;
use parafa_platform::log_failure;
use parafa_store::keys::hash_token;
use uuid::Uuid;

use super::views;
use crate::assertion::{ASSERTION_ALGORITHM, ASSERTION_CLAIMS};
use crate::authentications::Authentications;
use crate::error::AuthError;
use crate::metrics::certificate_refused;
use crate::records::{ProviderRow, REQUEST_BY_CLIENT_TOKEN, RequestRow};

/// The authentication API over the services.
pub struct AuthOperations(pub Arc<Authentications>);

/// Callers of the API.
#[derive(Clone, Debug)]
pub enum Caller {
    /// A relying party's backend, with the claim to answer its request, if it was
    /// claimed.
    Provider(Box<ProviderRow>, Option<Claim>),
    /// The client of a single request.
    Client {
        /// The request.
        request: Uuid,
    },
    /// An unauthenticated caller.
    Anybody,
}

impl Caller {
    fn claim(&self) -> Option<Claim> {
        match self {
            Self::Provider(_, claim) => *claim,
            Self::Client { .. } | Self::Anybody => None,
        }
    }
}

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        match self {
            Self::Provider(provider, _) => provider.id,
            Self::Client { request } => *request,
            Self::Anybody => Uuid::nil(),
        }
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

impl AuthOperations {
    async fn provider(&self, id: &str, secret: &str) -> Result<Caller, Problem> {
        let provider = self.0.providers.by_key(id, secret).await?;
        let provider = provider.ok_or_else(Problem::unauthorized)?;
        Ok(Caller::Provider(Box::new(provider), None))
    }

    async fn client(&self, token: &str) -> Result<Caller, Problem> {
        let store = &self.0.records.store;
        let hash = hash_token(token).to_string();
        let found: Result<Option<RequestRow>, AuthError> = store
            .read(|tx| Box::pin(async move { Ok(tx.find(&REQUEST_BY_CLIENT_TOKEN, &hash).await?) }))
            .await;
        let now = store.now().await.map_err(AuthError::from)?;
        let row = found?.filter(|row| {
            let grant = row.client_token.as_ref();
            grant.is_some_and(|grant| now < grant.expires_at)
        });
        let refused = || Problem::of(ErrorCode::InvalidClientToken);
        let row = row.ok_or_else(refused)?;
        let provider = self.0.providers.working(row.provider).await?;
        self.0
            .providers
            .check_tenant(&provider.ok_or_else(refused)?)
            .await?;
        Ok(Caller::Client { request: row.id })
    }
}

#[async_trait]
impl Api for AuthOperations {
    type Caller = Caller;
    type Record = AuthenticationId;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        match credentials {
            Credentials::Basic { user, password } => self.provider(user, password.expose()).await,
            Credentials::Bearer(token) => self.client(token.expose()).await,
        }
    }

    async fn presence(
        &self,
        caller: &Caller,
        record: AuthenticationId,
    ) -> Result<Presence, Problem> {
        let row = match self.0.request(record.0).await {
            Ok(row) => row,
            Err(AuthError::NotFound) => return Ok(Presence::Absent),
            Err(error) => return Err(error.into()),
        };
        match caller {
            Caller::Provider(provider, _) if provider.id == row.provider => Ok(Presence::Present),
            Caller::Client { request } if *request == row.id => Ok(Presence::Present),
            // The token of another request.
            Caller::Client { .. } => Err(Problem::of(ErrorCode::InvalidClientToken)),
            Caller::Provider(..) | Caller::Anybody => Ok(Presence::Absent),
        }
    }

    async fn origin(&self, record: AuthenticationId) -> Result<Option<String>, Problem> {
        match self.0.request(record.0).await {
            Ok(row) => Ok(Some(row.audience)),
            Err(AuthError::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn reserve(
        &self,
        caller: &Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        let Caller::Provider(provider, _) = caller else {
            return Err(Problem::unauthorized());
        };
        let reserved = self.0.idempotency.reserve(provider.id, &request).await;
        let reserved = reserved.map_err(AuthError::from)?;
        Ok(reserved.map(|claim| Caller::Provider(provider.clone(), Some(claim))))
    }

    async fn hold(&self, caller: &Caller) -> Infallible {
        self.0.idempotency.hold(caller.claim()).await
    }

    async fn release(&self, caller: &Caller) {
        self.0.idempotency.give_back(caller.claim()).await;
    }
}

#[async_trait]
impl AuthApi for AuthOperations {
    fn anybody() -> Caller {
        Caller::Anybody
    }

    fn methods(&self) -> Vec<AuthenticationMethod> {
        self.0.methods().into_iter().map(views::method).collect()
    }

    async fn create(
        &self,
        caller: &Caller,
        request: CreateAuthentication,
    ) -> Result<api::CreatedAuthentication, Problem> {
        let Caller::Provider(provider, claim) = caller else {
            return Err(Problem::unauthorized());
        };
        Ok(self.0.create(provider, request, *claim).await?)
    }

    async fn read(
        &self,
        caller: &Caller,
        id: AuthenticationId,
        query: PollQuery,
    ) -> Result<api::Authentication, Problem> {
        self.find(caller, id).await?;
        Ok(self.0.read(id.0, query.wait).await?)
    }

    async fn cancel(&self, caller: &Caller, id: AuthenticationId) -> Result<(), Problem> {
        self.find(caller, id).await?;
        Ok(self.0.cancel(id.0).await?)
    }

    async fn receive_certificate(
        &self,
        id: AuthenticationId,
        request: CertificateSubmission,
    ) -> Result<api::DataToBeSigned, Problem> {
        let received = self.0.receive_certificate(id.0, &request.certificate);
        let received = received.await;
        if let Err(error) = &received {
            certificate_refused(id.0, error);
        }
        Ok(received?)
    }

    async fn complete(
        &self,
        id: AuthenticationId,
        request: CompletionRequest,
    ) -> Result<api::CompletedAuthentication, Problem> {
        Ok(self.0.complete(id.0, request).await?)
    }

    async fn pair(&self, request: PairingRequest) -> Result<api::PairedClient, Problem> {
        Ok(self.0.pair(&request.code).await?)
    }

    async fn return_from_app(&self, id: AuthenticationId, returned: AppReturn) -> Option<String> {
        match self.0.return_from_app(id.0, &returned).await {
            Ok(address) => address,
            Err(AuthError::NotFound) => None,
            Err(error) => {
                tracing::error_span!("return from the app", authentication.id = %id.0)
                    .in_scope(|| log_failure(&error, "a return from the app is lost"));
                None
            }
        }
    }

    async fn keys(&self) -> Result<api::JsonWebKeySet, Problem> {
        let keys = self.0.keys.published().await?;
        Ok(api::JsonWebKeySet { keys })
    }

    fn openid_configuration(&self) -> api::OpenIdConfiguration {
        let issuer = &self.0.settings.issuer;
        api::OpenIdConfiguration {
            issuer: issuer.clone(),
            jwks_uri: format!("{issuer}{KEYS_PATH}"),
            response_types_supported: vec!["id_token"],
            subject_types_supported: vec!["public"],
            id_token_signing_alg_values_supported: vec![ASSERTION_ALGORITHM],
            claims_supported: ASSERTION_CLAIMS.to_vec(),
        }
    }
}

impl AuthOperations {
    /// Finds the request. Calls without a body arrive here before the lookup.
    async fn find(&self, caller: &Caller, id: AuthenticationId) -> Result<(), Problem> {
        match self.presence(caller, id).await? {
            Presence::Present => Ok(()),
            Presence::Absent | Presence::Erased => Err(Problem::of(ErrorCode::NotFound)),
        }
    }
}
