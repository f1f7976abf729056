use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode, header::HeaderName, redirect::Policy};
use serde_json::Value;
use url::Url;

use super::outcome::CommandError;

/// Time limit of a call.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Calls services of the world and its server, with JSON both ways.
pub(super) struct Calls(Client);

impl Calls {
    pub(super) fn new() -> Result<Self, CommandError> {
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .timeout(TIMEOUT);
        Ok(Self(client.build().map_err(CommandError::Client)?))
    }

    /// `GET`, or `POST` with a body. An answer that is not JSON becomes `null`.
    pub(super) async fn call(
        &self,
        address: &str,
        headers: &[(HeaderName, &str)],
        body: Option<&Value>,
    ) -> Result<(StatusCode, Value), CommandError> {
        let address = parsed(address)?;
        let mut request = match body {
            Some(body) => self.0.post(address.clone()).json(body),
            None => self.0.get(address.clone()),
        };
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        answered(address, request).await
    }

    /// `DELETE`, with the same answer.
    pub(super) async fn delete(&self, address: &Url) -> Result<(StatusCode, Value), CommandError> {
        answered(address.clone(), self.0.delete(address.clone())).await
    }
}

async fn answered(
    address: Url,
    request: RequestBuilder,
) -> Result<(StatusCode, Value), CommandError> {
    let answer = async {
        let answer = request.send().await?;
        Ok((answer.status(), answer.bytes().await?))
    };
    let (status, content) =
        answer
            .await
            .map_err(|source: reqwest::Error| CommandError::NoAnswer {
                address,
                source: source.without_url(),
            })?;
    Ok((status, serde_json::from_slice(&content).unwrap_or_default()))
}

pub(super) fn parsed(address: &str) -> Result<Url, CommandError> {
    Url::parse(address).map_err(|source| CommandError::Address {
        address: address.to_owned(),
        source,
    })
}
