//! Export of traces.

use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode, Uri};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_traces::{Exporter, nothing};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Limits of one request to the collector; only further spans wait for it.
const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(5),
    max_response_bytes: 64 * 1024,
};
/// Time limit for sending the last spans when the server stops.
const FLUSH: Duration = Duration::from_secs(1);

/// Failures of sending spans.
#[derive(Debug, thiserror::Error)]
enum CollectorError {
    /// The collector did not answer.
    #[error("the collector gives no answer")]
    NoAnswer(#[source] HttpPortError),
    /// The collector refused the spans.
    #[error("the collector answers {0}")]
    Refused(StatusCode),
}

/// Collector of spans by OTLP/HTTP.
#[derive(Clone)]
struct Collector {
    client: OutboundClient,
    address: Uri,
}

impl Collector {
    fn at(url: &Url) -> anyhow::Result<Self> {
        let listed = HostPort::of(url).into_iter().collect();
        let policy = AddressPolicy::new(listed, Reach::ListedOnly);
        let client = OutboundClient::new(policy, &ServerTrust::default());
        Ok(Self {
            client: client.context("the client of the collector cannot be made")?,
            address: url.as_str().parse().context("telemetry.traces_url")?,
        })
    }

    async fn take(self, spans: Bytes) -> Result<(), CollectorError> {
        let mut request = Request::new(spans);
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = self.address;
        let json = http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        let answer = self.client.exchange(request, LIMITS).await;
        let status = answer.map_err(CollectorError::NoAnswer)?.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(CollectorError::Refused(status))
        }
    }
}

/// Returns a warning if the collector does not accept spans now.
pub(crate) async fn warning(url: &Url) -> Option<String> {
    let collector = Collector::at(url).ok()?;
    let error = anyhow::Error::new(collector.take(nothing()).await.err()?);
    Some(format!(
        "telemetry.traces_url: {error:#}: traces are lost until it accepts OTLP/HTTP; the server starts anyway"
    ))
}

/// Task that sends spans to the collector, if there is one.
#[derive(Default)]
pub(crate) struct SentTraces(Option<(CancellationToken, JoinHandle<()>)>);

impl SentTraces {
    /// Starts sending the recorded spans.
    pub(crate) fn start(url: &Url, spans: Exporter) -> anyhow::Result<Self> {
        let collector = Collector::at(url)?;
        let stop = CancellationToken::new();
        let post = move |spans| collector.clone().take(spans);
        let sending = tokio::spawn(spans.run(post, stop.clone()));
        Ok(Self(Some((stop, sending))))
    }

    /// Sends the remaining spans, within a short time limit.
    pub(crate) async fn end(self) {
        let Some((stop, sending)) = self.0 else {
            return;
        };
        stop.cancel();
        if tokio::time::timeout(FLUSH, sending).await.is_err() {
            tracing::warn!("the last spans of traces are lost: the collector takes too long");
        }
    }
}
