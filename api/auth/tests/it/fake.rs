//! Implementation behind the routes in these tests: one provider with one request, and another
//! provider's request.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use parafa_api_auth::requests::{
    AppReturn, CertificateSubmission, CompletionRequest, CreateAuthentication, PairingRequest,
    PollQuery,
};
use parafa_api_auth::{
    AuthApi, AuthenticationId, AuthenticationMethod, AuthenticationStatus, ErrorCode, router, views,
};
use parafa_api_http::{
    Access, Api, BaseUrl, Credentials, HttpConfig, IdempotentRequest, Presence, Principal, Problem,
    Reservation,
};
use serde_json::{Value, json};
use tower::ServiceExt;
use uuid::Uuid;

pub(crate) const KNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
/// A request of another provider.
pub(crate) const OTHER: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70";
pub(crate) const UNKNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-000000000000";
pub(crate) const AUDIENCE: &str = "https://shop.example";
/// `key:secret`.
pub(crate) const PROVIDER: &str = "Basic a2V5OnNlY3JldA==";
pub(crate) const CLIENT: &str = "Bearer token";
/// A code that the service cannot look up now.
pub(crate) const OUT_OF_ORDER: &str = "OUT-OF-ORDER";

pub(crate) struct Fake;

#[derive(Debug, PartialEq)]
pub(crate) enum Caller {
    Provider,
    Client,
    Anybody,
}

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        Uuid::nil()
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

fn id(text: &str) -> AuthenticationId {
    AuthenticationId(Uuid::try_parse(text).unwrap())
}

#[async_trait]
impl Api for Fake {
    type Caller = Caller;
    type Record = AuthenticationId;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        match credentials {
            Credentials::Basic { user, password }
                if user == "key" && password.expose() == "secret" =>
            {
                Ok(Caller::Provider)
            }
            Credentials::Bearer(token) if token.expose() == "token" => Ok(Caller::Client),
            Credentials::Basic { .. } => Err(Problem::unauthorized()),
            Credentials::Bearer(_) => Err(Problem::of(ErrorCode::InvalidClientToken)),
        }
    }

    async fn presence(
        &self,
        caller: &Caller,
        record: AuthenticationId,
    ) -> Result<Presence, Problem> {
        match (caller, record) {
            (_, record) if record == id(KNOWN) => Ok(Presence::Present),
            (Caller::Client, record) if record == id(OTHER) => {
                Err(Problem::of(ErrorCode::InvalidClientToken))
            }
            _ => Ok(Presence::Absent),
        }
    }

    async fn origin(&self, record: AuthenticationId) -> Result<Option<String>, Problem> {
        Ok((record == id(KNOWN)).then(|| AUDIENCE.to_owned()))
    }

    async fn reserve(
        &self,
        _: &Caller,
        _: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        Ok(Reservation::Reused)
    }

    async fn hold(&self, _: &Caller) -> std::convert::Infallible {
        std::future::pending().await
    }

    async fn release(&self, _: &Caller) {}
}

#[async_trait]
impl AuthApi for Fake {
    fn anybody() -> Caller {
        Caller::Anybody
    }

    fn methods(&self) -> Vec<AuthenticationMethod> {
        vec![AuthenticationMethod::Physical]
    }

    async fn create(
        &self,
        caller: &Caller,
        request: CreateAuthentication,
    ) -> Result<views::CreatedAuthentication, Problem> {
        assert_eq!(*caller, Caller::Provider);
        Ok(views::CreatedAuthentication {
            request_id: id(KNOWN),
            status: AuthenticationStatus::Pending,
            method: request.method.method(),
            expires_at: "2026-03-01T08:05:00Z".parse().unwrap(),
            client_token: Some("token".to_owned()),
            pairing: None,
            verification_code: None,
            device_link: None,
        })
    }

    async fn read(
        &self,
        caller: &Caller,
        request: AuthenticationId,
        _: PollQuery,
    ) -> Result<views::Authentication, Problem> {
        if self.presence(caller, request).await? != Presence::Present {
            return Err(Problem::not_found());
        }
        Ok(views::Authentication {
            request_id: request,
            status: AuthenticationStatus::Pending,
            method: AuthenticationMethod::Physical,
            expires_at: "2026-03-01T08:05:00Z".parse().unwrap(),
            verification_code: None,
            device_link: None,
            return_code: None,
            sig: None,
            cert: None,
            assertion: None,
            error: None,
        })
    }

    async fn cancel(&self, caller: &Caller, request: AuthenticationId) -> Result<(), Problem> {
        match self.presence(caller, request).await? {
            Presence::Present => Ok(()),
            _ => Err(Problem::not_found()),
        }
    }

    async fn receive_certificate(
        &self,
        request: AuthenticationId,
        submitted: CertificateSubmission,
    ) -> Result<views::DataToBeSigned, Problem> {
        if submitted.certificate.len() > 3 {
            return Err(Problem::of(ErrorCode::RevocationUnavailable));
        }
        Ok(views::DataToBeSigned {
            request_id: request,
            dtbs: String::new(),
            dtbs_hash_alg_oid: "2.16.840.1.101.3.4.2.1",
            operation_token: String::new(),
            challenge: views::Challenge {
                profile: String::new(),
                audience: AUDIENCE.to_owned(),
                nonce: String::new(),
            },
            cert: views::CertificateHolder {
                subject: views::Subject::default(),
            },
            verification_code: "0000".to_owned(),
        })
    }

    async fn complete(
        &self,
        _: AuthenticationId,
        _: CompletionRequest,
    ) -> Result<views::CompletedAuthentication, Problem> {
        Ok(views::CompletedAuthentication {
            status: AuthenticationStatus::Completed,
            method: AuthenticationMethod::Physical,
            sig: String::new(),
            cert: views::Certificate {
                subject: views::Subject::default(),
                der: String::new(),
            },
            assertion: None,
        })
    }

    async fn pair(&self, request: PairingRequest) -> Result<views::PairedClient, Problem> {
        if request.code == OUT_OF_ORDER {
            return Err(Problem::unavailable("The store is out of order."));
        }
        Ok(views::PairedClient {
            request_id: id(KNOWN),
            client_token: "token".to_owned(),
            provider: "UAB „Pavyzdys“".to_owned(),
            audience: AUDIENCE.to_owned(),
        })
    }

    /// Only this return is valid.
    async fn return_from_app(&self, _: AuthenticationId, returned: AppReturn) -> Option<String> {
        let counts = returned.value == "value"
            && returned.session_secret_digest == "digest"
            && returned.user_challenge_verifier == "verifier";
        counts.then(|| format!("{AUDIENCE}/login?returnCode=code"))
    }

    async fn keys(&self) -> Result<views::JsonWebKeySet, Problem> {
        Ok(views::JsonWebKeySet { keys: Vec::new() })
    }

    fn openid_configuration(&self) -> views::OpenIdConfiguration {
        views::OpenIdConfiguration {
            issuer: "https://auth.example".to_owned(),
            jwks_uri: "https://auth.example/v1/auth/.well-known/jwks.json".to_owned(),
            response_types_supported: Vec::new(),
            subject_types_supported: Vec::new(),
            id_token_signing_alg_values_supported: Vec::new(),
            claims_supported: Vec::new(),
        }
    }
}

pub(crate) fn service() -> Router {
    let config = HttpConfig::new(BaseUrl::new(&"https://auth.example".parse().unwrap()));
    router(Arc::new(Fake), config)
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn code(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().map(str::to_owned);
        (self.status.as_u16(), code.unwrap_or_default())
    }
}

pub(crate) async fn ask(request: Request<Body>) -> Answer {
    let response = service().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

pub(crate) fn request(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match body {
        Some(body) => request
            .header("content-type", "application/json")
            .body(Body::from(body.to_string())),
        None => request.body(Body::empty()),
    }
    .unwrap()
}

pub(crate) fn creation() -> Value {
    json!({"audience": AUDIENCE, "method": "physical"})
}
