//! Service: from a request of a connection to its answer.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use bytes::Bytes;
use http::header::{CONNECTION, HOST};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Request, Response, Version};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use parafa_api_http::{BaseUrl, Problem};
use tower::ServiceExt;

use super::client::{TrustedProxies, counted_as};
use super::heads::Framing;
use super::refusals::{Refusals, host_unclear, too_many_of_client};
use super::slots::{ConnectionSlots, Turn};
use super::unread::Unread;
use super::wire::Exchange;

/// Serves the requests of all connections of a listener.
#[derive(Clone)]
pub(crate) struct Service {
    router: Router,
    slots: ConnectionSlots,
    proxies: TrustedProxies,
    refusals: Refusals,
}

impl Service {
    pub(crate) fn new(
        router: Router,
        slots: ConnectionSlots,
        proxies: TrustedProxies,
        base_url: BaseUrl,
    ) -> Self {
        Self {
            router,
            slots,
            proxies,
            refusals: Refusals::new(base_url),
        }
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Answers a request that came from `peer`.
    pub(crate) fn serve(
        &self,
        mut request: Request<Incoming>,
        peer: SocketAddr,
        exchange: &Arc<Exchange>,
        unread: &Unread,
    ) -> impl Future<Output = Result<Response<AnswerBody>, Infallible>> + use<> {
        let framing = match request.body().size_hint().exact() {
            Some(length) => Framing::Length(length),
            None => Framing::Unknown,
        };
        exchange.begin(framing);
        let admitted = self.admit(&mut request, peer);
        let request = unread.watch(request).map(Body::new);
        let (router, refusals) = (self.router.clone(), self.refusals.clone());
        let exchange = exchange.clone();
        async move {
            let mut response = match admitted {
                Ok(turn) => {
                    exchange.hold(turn);
                    let Ok(response) = router.oneshot(request).await;
                    response
                }
                Err(problem) => refusals.response(&problem).map(Body::from),
            };
            if framing == Framing::Unknown {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok(response.map(|body| AnswerBody { body, exchange }))
        }
    }

    /// Admits a request that names its host, and notes its client. A request through a proxy counts
    /// as its client's.
    fn admit(
        &self,
        request: &mut Request<Incoming>,
        peer: SocketAddr,
    ) -> Result<Option<Turn>, Problem> {
        if !names_its_host(request.version(), request.headers()) {
            return Err(host_unclear());
        }
        let (client, turn) = match self.client_behind(peer, request.headers()) {
            Some(client) => {
                let client = counted_as(client);
                let turn = self.slots.take_turn(client);
                let turn = turn.ok_or_else(too_many_of_client)?;
                (SocketAddr::new(client, 0), Some(turn))
            }
            None => (SocketAddr::new(counted_as(peer.ip()), peer.port()), None),
        };
        request.extensions_mut().insert(ConnectInfo(client));
        Ok(turn)
    }

    fn client_behind(&self, peer: SocketAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let proxy = peer.ip().to_canonical();
        let is_trusted = self.proxies.trusts(proxy);
        is_trusted.then(|| self.proxies.client(proxy, headers))?
    }
}

/// Returns true if there is exactly one `Host` with a host in it, or an empty one if the target has
/// none. Before HTTP/1.1 there may be none (RFC 9112, 3.2).
fn names_its_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => {
            let host = host.as_bytes();
            host.is_empty() || !host.contains(&b'@') && Authority::try_from(host).is_ok()
        }
        (Some(_), Some(_)) => false,
    }
}

/// An answer's body on its way to the client.
pub(crate) struct AnswerBody {
    body: Body,
    exchange: Arc<Exchange>,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.exchange.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_host() {
        let named = |version, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            names_its_host(version, &headers)
        };

        for host in ["a", "a.example:80", "127.0.0.1", "[::1]:8080", ""] {
            assert!(named(Version::HTTP_11, &[host]), "{host}");
        }
        for hosts in [&[][..], &["a", "a"], &["a b"], &["a@b"], &["a/b"]] {
            assert!(!named(Version::HTTP_11, hosts), "{hosts:?}");
        }
        assert!(named(Version::HTTP_10, &[]));
        assert!(!named(Version::HTTP_10, &["a", "a"]));
    }
}
