//! The client itself.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_traces::TARGET;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};
use url::Url;

use crate::address::check_global_unicast;
use crate::identity::ClientIdentity;
use crate::policy::{AddressPolicy, Grounds};
use crate::resolver::{Lookup, SystemLookup, VettingError, VettingResolver};
use crate::tls::{self, OutboundSetupError, ServerTrust};

const USER_AGENT: &str = concat!("parafa/", env!("CARGO_PKG_VERSION"));
/// Time limit of reading a body that was not asked for; once it is read, its connection can be
/// reused.
const UNASKED: Duration = Duration::from_millis(500);

/// HTTP client for targets that its policy allows.
///
/// Listed and public targets have a connection pool each, so that a connection to an unvetted
/// address never serves a public name.
#[derive(Clone)]
pub struct OutboundClient {
    policy: AddressPolicy,
    listed: Client,
    public: Client,
    tells_traces: bool,
}

impl OutboundClient {
    /// A client under `policy`.
    ///
    /// # Errors
    /// [`OutboundSetupError`] when a root certificate is unusable.
    pub fn new(policy: AddressPolicy, trust: &ServerTrust) -> Result<Self, OutboundSetupError> {
        Self::with_lookup(policy, trust, None, Arc::new(SystemLookup))
    }

    /// A client that presents `identity` to servers that ask for a certificate.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_identity(
        policy: AddressPolicy,
        trust: &ServerTrust,
        identity: &ClientIdentity,
    ) -> Result<Self, OutboundSetupError> {
        Self::with_lookup(policy, trust, Some(identity), Arc::new(SystemLookup))
    }

    fn with_lookup(
        policy: AddressPolicy,
        trust: &ServerTrust,
        identity: Option<&ClientIdentity>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, OutboundSetupError> {
        let config = tls::client_config(trust, identity)?;
        let builder = || {
            Client::builder()
                .tls_backend_preconfigured(config.clone())
                .user_agent(USER_AGENT)
                .redirect(Policy::none())
                .http1_only()
                .referer(false)
                .no_proxy()
        };
        let build = |builder: ClientBuilder| builder.build().map_err(OutboundSetupError::Client);
        Ok(Self {
            policy,
            listed: build(builder())?,
            public: build(builder().dns_resolver(VettingResolver(lookup)))?,
            tells_traces: false,
        })
    }

    /// Returns the client with trace propagation: requests carry their trace context (W3C Trace
    /// Context), if there is a recorded span.
    #[must_use]
    pub fn telling_traces(self) -> Self {
        Self {
            tells_traces: true,
            ..self
        }
    }

    /// The head of the answer, from an allowed address.
    async fn send(
        &self,
        url: &Url,
        request: Request<Bytes>,
    ) -> Result<reqwest::Response, HttpPortError> {
        let (parts, body) = request.into_parts();
        let grounds = self
            .policy
            .grounds(url)
            .map_err(|fault| forbidden(Some(url), &fault))?;
        let client = match grounds {
            Grounds::Listed => &self.listed,
            Grounds::Public => &self.public,
        };
        let mut headers = parts.headers;
        headers.remove(http::header::HOST);
        if self.tells_traces
            && let Some(trace) = parafa_traces::current()
            && let Ok(trace) = HeaderValue::from_str(&trace.to_string())
        {
            headers.insert("traceparent", trace);
        }
        let sent = client
            .request(parts.method, url.clone())
            .headers(headers)
            .body(body)
            .send()
            .await;
        let answer = sent.map_err(|error| failure(url, error))?;
        if grounds == Grounds::Public {
            let remote = answer
                .remote_addr()
                .ok_or_else(|| forbidden(Some(url), &"the remote address is not known"))?;
            check_global_unicast(remote.ip()).map_err(|fault| forbidden(Some(url), &fault))?;
        }
        Ok(answer)
    }
}

#[async_trait]
impl HttpPort for OutboundClient {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let url = url_of(&request)?;
        let span = span_of(&url, request.method());
        let exchange = async {
            let answer = self.send(&url, request).await?;
            read(&url, answer, limits.max_response_bytes).await
        };
        let exchange = within(limits.timeout, exchange).instrument(span.clone());
        let answered = exchange.await;
        note(&span, answered.as_ref().map(Response::status));
        answered
    }

    async fn head(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<()>, HttpPortError> {
        let url = url_of(&request)?;
        let span = span_of(&url, request.method());
        let sent = within(limits.timeout, self.send(&url, request)).instrument(span.clone());
        let answered = sent.await;
        note(&span, answered.as_ref().map(reqwest::Response::status));
        let answer = answered?;
        let mut head = Response::new(());
        *head.status_mut() = answer.status();
        head.headers_mut().clone_from(answer.headers());
        let body = read(&url, answer, limits.max_response_bytes);
        // The head counts, whatever happens to the body.
        let _ = tokio::time::timeout(UNASKED, body).await;
        Ok(head)
    }
}

/// The span of an exchange. Of the URL it holds the host and port only.
fn span_of(url: &Url, method: &Method) -> Span {
    info_span!(
        target: TARGET,
        "exchange",
        otel.kind = "client",
        otel.name = method.as_str(),
        http.request.method = method.as_str(),
        server.address = url.host_str(),
        server.port = url.port_or_known_default(),
        http.response.status_code = Empty,
        "error.type" = Empty,
    )
}

fn note(span: &Span, answered: Result<StatusCode, &HttpPortError>) {
    match answered {
        Ok(status) => span.record("http.response.status_code", status.as_u16()),
        Err(error) => span.record("error.type", error.name()),
    };
}

async fn within<T>(
    time: Duration,
    exchange: impl Future<Output = Result<T, HttpPortError>>,
) -> Result<T, HttpPortError> {
    let ended = tokio::time::timeout(time, exchange).await;
    ended.map_err(|_| HttpPortError::TimedOut(time))?
}

fn url_of(request: &Request<Bytes>) -> Result<Url, HttpPortError> {
    let url = Url::parse(&request.uri().to_string());
    url.map_err(|_| forbidden(None, &"the address is malformed"))
}

async fn read(
    url: &Url,
    mut answer: reqwest::Response,
    limit: usize,
) -> Result<Response<Bytes>, HttpPortError> {
    let status = answer.status();
    let too_long = || HttpPortError::ResponseTooLong { status, limit };
    let announced = answer.content_length().map(usize::try_from);
    if announced.is_some_and(|announced| announced.is_ok_and(|length| length > limit)) {
        return Err(too_long());
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| failure(url, error))? {
        if chunk.len() > limit - body.len() {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::new(body.freeze());
    *response.status_mut() = answer.status();
    *response.version_mut() = answer.version();
    *response.headers_mut() = answer.headers().clone();
    Ok(response)
}

fn forbidden(url: Option<&Url>, reason: &dyn ToString) -> HttpPortError {
    HttpPortError::Forbidden {
        host: url.and_then(Url::host_str).unwrap_or_default().to_owned(),
        reason: reason.to_string(),
    }
}

/// The error without the URL's path and query, which may contain secrets.
fn failure(url: &Url, error: reqwest::Error) -> HttpPortError {
    let error = error.without_url();
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // A DNS failure is a failed connection, not a forbidden target: the zone's owner may have
        // made a mistake.
        if let Some(vetting @ VettingError::NotGlobal) = cause.downcast_ref() {
            return forbidden(Some(url), vetting);
        }
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    HttpPortError::Transport(message)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::{IpAddr, Ipv4Addr, SocketAddr};

    use axum::Router;
    use axum::http::header::LOCATION;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::policy::Reach;

    const LIMITS: ExchangeLimits = ExchangeLimits {
        timeout: Duration::from_secs(5),
        max_response_bytes: 1024,
    };

    /// Every name has these addresses.
    struct Everywhere(Vec<IpAddr>);

    #[async_trait]
    impl Lookup for Everywhere {
        async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.clone())
        }
    }

    const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(8, 8, 8, 8));

    async fn server() -> SocketAddr {
        let redirect = || async { (StatusCode::FOUND, [(LOCATION, "/echo")]) };
        let router = Router::new()
            .route("/echo", post(|body: Bytes| async move { body }))
            .route("/long", get(|| async { "x".repeat(1025) }))
            .route("/redirect", get(redirect))
            .route("/silent", get(std::future::pending::<&'static str>));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    /// A server that sends this to its first client, and then hangs up or stays silent.
    async fn speaker(reply: &'static str, hangs_up: bool) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        tokio::spawn(async move {
            let (mut client, _) = listener.accept().await.expect("a client");
            let _ = client.read(&mut [0; 1024]).await;
            client
                .write_all(reply.as_bytes())
                .await
                .expect("it is said");
            if hangs_up {
                client.shutdown().await.expect("an end");
            }
            let _ = client.read_to_end(&mut Vec::new()).await;
        });
        address
    }

    fn client(listed: &[SocketAddr]) -> OutboundClient {
        client_where(&[INSIDE], listed)
    }

    /// A client whose lookups always return these addresses.
    fn client_where(names_lead_to: &[IpAddr], listed: &[SocketAddr]) -> OutboundClient {
        let lookup = Arc::new(Everywhere(names_lead_to.to_vec()));
        let listed = listed
            .iter()
            .map(|address| address.to_string().parse().expect("a target"))
            .collect();
        let policy = AddressPolicy::new(listed, Reach::PublicHttp);
        OutboundClient::with_lookup(policy, &ServerTrust::default(), None, lookup)
            .expect("a client")
    }

    fn request(method: &str, url: &str) -> Request<Bytes> {
        Request::builder()
            .method(method)
            .uri(url)
            .body(Bytes::from_static(b"hello"))
            .expect("a request")
    }

    #[tokio::test]
    async fn a_listed_private_server_is_reached() {
        let address = server().await;
        let url = format!("http://{address}/echo");
        let answer = client(&[address])
            .exchange(request("POST", &url), LIMITS)
            .await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.body().as_ref(), b"hello");
    }

    #[tokio::test]
    async fn an_unlisted_private_server_is_not() {
        let address = server().await;
        let url = format!("http://{address}/echo");
        let answer = client(&[]).exchange(request("POST", &url), LIMITS).await;
        assert!(
            matches!(answer, Err(HttpPortError::Forbidden { .. })),
            "{answer:?}"
        );
    }

    #[tokio::test]
    async fn a_public_name_that_resolves_inside_is_refused() {
        let address = server().await;
        let url = format!(
            "http://ocsp.example.com:{}/echo?token=secret",
            address.port()
        );
        let answer = client(&[address])
            .exchange(request("POST", &url), LIMITS)
            .await;
        let Err(HttpPortError::Forbidden { host, .. }) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(host, "ocsp.example.com");
    }

    #[tokio::test]
    async fn a_name_with_an_address_inside_among_others_is_refused() {
        let answer = client_where(&[OUTSIDE, INSIDE], &[])
            .head(request("POST", "http://hooks.example.com/in"), LIMITS)
            .await;
        assert!(
            matches!(answer, Err(HttpPortError::Forbidden { .. })),
            "{answer:?}"
        );
    }

    #[tokio::test]
    async fn a_name_without_an_address_is_not_reached_now_and_not_forbidden() {
        let answer = client_where(&[], &[])
            .head(request("POST", "http://hooks.example.com/in"), LIMITS)
            .await;
        let Err(HttpPortError::Transport(message)) = answer else {
            panic!("{answer:?}");
        };
        assert!(message.contains("no address"), "{message}");
    }

    #[tokio::test]
    async fn a_redirect_is_handed_on_and_not_followed() {
        let address = server().await;
        let url = format!("http://{address}/redirect");
        let answer = client(&[address])
            .exchange(request("GET", &url), LIMITS)
            .await;
        assert_eq!(answer.expect("an answer").status(), StatusCode::FOUND);
    }

    #[tokio::test]
    async fn an_answer_past_the_limit_is_refused() {
        let address = server().await;
        let url = format!("http://{address}/long");
        let answer = client(&[address])
            .exchange(request("GET", &url), LIMITS)
            .await;
        assert_eq!(
            answer.err(),
            Some(HttpPortError::ResponseTooLong {
                status: StatusCode::OK,
                limit: 1024
            })
        );
    }

    #[tokio::test]
    async fn a_silent_server_times_out() {
        let address = server().await;
        let url = format!("http://{address}/silent");
        let limits = ExchangeLimits {
            timeout: Duration::from_millis(50),
            ..LIMITS
        };
        let answer = client(&[address])
            .exchange(request("GET", &url), limits)
            .await;
        assert_eq!(answer.err(), Some(HttpPortError::TimedOut(limits.timeout)));
    }

    #[tokio::test]
    async fn a_status_is_one_whatever_becomes_of_the_body() {
        const BROKEN_OFF: &str = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal";
        const ENDLESS: &str =
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n";
        const TOO_LONG: &str = "HTTP/1.1 503 Sorry\r\nContent-Length: 1025\r\n\r\n";

        for (reply, hangs_up, expected) in [
            (BROKEN_OFF, true, StatusCode::OK),
            (ENDLESS, false, StatusCode::NOT_FOUND),
            (TOO_LONG, false, StatusCode::SERVICE_UNAVAILABLE),
        ] {
            let address = speaker(reply, hangs_up).await;
            let url = format!("http://{address}/");
            let status = client(&[address])
                .head(request("POST", &url), LIMITS)
                .await
                .map(|head| head.status());
            assert_eq!(status, Ok(expected), "{reply}");
        }
    }

    #[tokio::test]
    async fn half_a_head_is_no_status() {
        let address = speaker("HTTP/1.1 200 OK\r\nContent-", true).await;
        let url = format!("http://{address}/");
        let status = client(&[address]).head(request("POST", &url), LIMITS).await;
        assert!(
            matches!(status, Err(HttpPortError::Transport(_))),
            "{status:?}"
        );
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_has_no_status_in_time() {
        let address = speaker("", false).await;
        let url = format!("http://{address}/");
        let limits = ExchangeLimits {
            timeout: Duration::from_millis(50),
            ..LIMITS
        };
        let status = client(&[address]).head(request("POST", &url), limits).await;
        assert_eq!(status.err(), Some(HttpPortError::TimedOut(limits.timeout)));
    }

    #[tokio::test]
    async fn a_transport_error_does_not_tell_the_path() {
        let unused: SocketAddr = "127.0.0.1:1".parse().expect("an address");
        let url = format!("http://{unused}/in?token=secret");
        let answer = client(&[unused])
            .exchange(request("GET", &url), LIMITS)
            .await;
        let Err(HttpPortError::Transport(message)) = answer else {
            panic!("{answer:?}");
        };
        assert!(!message.contains("secret"), "{message}");
    }
}
