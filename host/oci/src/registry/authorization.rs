//! Authentication at a registry (distribution's "Token Authentication
//! Specification").

use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::Deserialize;
use tokio::sync::Mutex;
use url::Url;

use super::{Call, Registry, accepting};
use crate::challenge::Challenge;
use crate::credentials::Credentials;
use crate::error::OciError;

/// The access to a repository that a client requests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Reading.
    Pull,
    /// Reading and writing.
    PullAndPush,
}

/// A client's credentials, and the authorization header made of them.
pub(super) struct Authorization {
    credentials: Option<Credentials>,
    access: Access,
    /// The header that the registry has demanded.
    header: Mutex<Option<HeaderValue>>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

impl Access {
    fn actions(self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::PullAndPush => "pull,push",
        }
    }
}

impl Authorization {
    pub(super) fn new(credentials: Option<Credentials>, access: Access) -> Self {
        Self {
            credentials,
            access,
            header: Mutex::new(None),
        }
    }

    pub(super) async fn known(&self) -> Option<HeaderValue> {
        self.header.lock().await.clone()
    }

    fn basic(&self) -> Option<HeaderValue> {
        self.credentials.as_ref()?.header()
    }
}

impl Registry {
    /// Obtains the header that a challenge demands; `None` if that is impossible.
    pub(super) async fn authorize(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<HeaderValue>, OciError> {
        let header = match Challenge::of(headers) {
            None => None,
            Some(Challenge::Basic) => self.authorization.basic(),
            Some(Challenge::Bearer { realm, service }) => {
                Some(self.token(&realm, service.as_deref()).await?)
            }
        };
        self.authorization.header.lock().await.clone_from(&header);
        Ok(header)
    }

    /// Fetches a token for this repository and the requested access only, even if the registry
    /// names a wider scope.
    async fn token(&self, realm: &str, service: Option<&str>) -> Result<HeaderValue, OciError> {
        const WHAT: &str = "a token";
        let mut url = Url::parse(realm)
            .map_err(|_| self.malformed("a call without a token", "a realm that is no address"))?;
        let repository = self.name.base().path();
        let repository = repository.trim_start_matches("/v2/").trim_end_matches('/');
        let actions = self.authorization.access.actions();
        let scope = format!("repository:{repository}:{actions}");
        if let Some(service) = service {
            url.query_pairs_mut().append_pair("service", service);
        }
        url.query_pairs_mut().append_pair("scope", &scope);
        let call = Call {
            headers: accepting("application/json"),
            ..Call::new(Method::GET, url, WHAT)
        };
        let answer = self.send(&call, self.authorization.basic()).await?;
        let answer = self.expect(StatusCode::OK, WHAT, answer)?;
        let answer: TokenAnswer = serde_json::from_slice(answer.body())
            .map_err(|_| self.malformed(WHAT, "no JSON with a token"))?;
        let token = answer.token.or(answer.access_token);
        let header = token.and_then(|token| HeaderValue::try_from(format!("Bearer {token}")).ok());
        let mut header = header.ok_or_else(|| self.malformed(WHAT, "no token"))?;
        header.set_sensitive(true);
        Ok(header)
    }
}
