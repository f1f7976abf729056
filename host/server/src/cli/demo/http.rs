//! Calls of a demo's services and of its server.

use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use serde_json::Value;
use url::Url;

use crate::cli::CommandError;

/// What an answer may take and hold.
const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(60),
    max_response_bytes: 256 * 1024,
};

/// Calls a few addresses and no others.
pub(super) struct Client(OutboundClient);

impl Client {
    /// Of the hosts of these addresses.
    pub(super) fn of(addresses: &[&str]) -> Result<Self, CommandError> {
        // Nothing else of this process has chosen one.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let urls = addresses.iter().map(|address| Url::parse(address));
        let urls: Vec<Url> = urls
            .collect::<Result<_, _>>()
            .context("an address of demo.json")?;
        let listed = urls.iter().filter_map(HostPort::of).collect();
        let policy = AddressPolicy::new(listed, Reach::ListedOnly);
        let client = OutboundClient::new(policy, &ServerTrust::default()).context("the client")?;
        Ok(Self(client))
    }

    /// `GET`, or `POST` where there is a body, of JSON both ways.
    pub(super) async fn call(
        &self,
        address: &str,
        headers: &[(header::HeaderName, &str)],
        body: Option<&Value>,
    ) -> Result<(StatusCode, Value), CommandError> {
        let mut request = Request::builder().uri(address).method(match body {
            Some(_) => Method::POST,
            None => Method::GET,
        });
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(Bytes::from(body)).context("the request")?;
        let answer = self.0.exchange(request, LIMITS).await;
        let answer = answer.map_err(|error| CommandError::Refused(error.to_string()))?;
        let value = serde_json::from_slice(answer.body()).unwrap_or_default();
        Ok((answer.status(), value))
    }
}
