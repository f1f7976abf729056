//! Where traces are sent.

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

/// What a collector may take for one request; none waits for it but further spans.
const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(5),
    max_response_bytes: 64 * 1024,
};
/// How long a server that stops waits until its last spans are sent.
const FLUSH: Duration = Duration::from_secs(1);

/// Spans were not taken.
#[derive(Debug, thiserror::Error)]
enum CollectorError {
    /// It gave no answer.
    #[error("the collector gives no answer")]
    NoAnswer(#[source] HttpPortError),
    /// It answered that it does not.
    #[error("the collector answers {0}")]
    Refused(StatusCode),
}

/// A collector that takes spans by OTLP/HTTP.
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

/// A sentence where a collector takes no spans now.
pub(crate) async fn warning(url: &Url) -> Option<String> {
    let collector = Collector::at(url).ok()?;
    let error = anyhow::Error::new(collector.take(nothing()).await.err()?);
    Some(format!(
        "telemetry.traces_url: {error:#}: traces are lost until it accepts OTLP/HTTP; the server starts anyway"
    ))
}

/// The spans on their way to the collector, if there is one.
#[derive(Default)]
pub(crate) struct SentTraces(Option<(CancellationToken, JoinHandle<()>)>);

impl SentTraces {
    /// Sends the spans that are recorded.
    pub(crate) fn start(url: &Url, spans: Exporter) -> anyhow::Result<Self> {
        let collector = Collector::at(url)?;
        let stop = CancellationToken::new();
        let post = move |spans| collector.clone().take(spans);
        let sending = tokio::spawn(spans.run(post, stop.clone()));
        Ok(Self(Some((stop, sending))))
    }

    /// Sends those that are left, if that takes no longer than a moment.
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
