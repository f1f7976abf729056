//! Takes connections and speaks HTTP/1.1 on them, within bounds that no client
//! can stretch.

mod unread;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use self::unread::{UnreadLimits, unread};

/// How long nothing is accepted after the system refused a connection for want
/// of descriptors or memory.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(200);

/// What a listener spends on its clients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListenerLimits {
    /// Longest time from the first moment of waiting for a request to the end
    /// of its header; so also how long an idle connection is kept.
    pub(crate) header_time: Duration,
    /// Longest time in which a client takes nothing of what it is sent.
    pub(crate) write_time: Duration,
    /// Connections open at one time; further ones wait to be accepted.
    pub(crate) connections: usize,
    /// Of these, the most from one address; further ones are closed.
    pub(crate) connections_of_peer: usize,
    /// What is taken of a request after its answer.
    pub(crate) unread: UnreadLimits,
}

impl Default for ListenerLimits {
    /// 30 seconds each way, 4096 connections, a quarter of them from one
    /// address, which may be a proxy's.
    fn default() -> Self {
        Self {
            header_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            connections: 4096,
            connections_of_peer: 1024,
            unread: UnreadLimits::default(),
        }
    }
}

/// Serves `router` until `stop`, then lets open requests end.
///
/// Every request carries the peer's address as [`ConnectInfo`].
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ListenerLimits,
    stop: CancellationToken,
) {
    let open = Arc::new(Semaphore::new(limits.connections));
    let peers = Peers::default();
    let connections = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &open) => accepted,
        };
        match accepted {
            Ok((stream, peer, permit)) => {
                let Some(place) = peers.enter(peer.ip(), limits.connections_of_peer) else {
                    continue;
                };
                let connection =
                    converse(stream, peer, router.clone(), limits, connections.watcher());
                tokio::spawn(async move {
                    connection.await;
                    drop((permit, place));
                });
            }
            Err(error) if is_the_peers(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "connections cannot be accepted");
                tokio::time::sleep(PAUSE_AFTER_REFUSAL).await;
            }
        }
    }
    drop(listener);
    connections.shutdown().await;
}

async fn accept(
    listener: &TcpListener,
    open: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let permit = open.clone().acquire_owned().await;
    let permit = permit.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, peer, permit))
}

/// How many connections each address has open. Clones count together.
#[derive(Clone, Default)]
struct Peers(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection of an address, counted until it is dropped.
struct Place {
    peers: Peers,
    address: IpAddr,
}

impl Peers {
    fn enter(&self, address: IpAddr, limit: usize) -> Option<Place> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Place {
            peers: self.clone(),
            address,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.peers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = counts.entry(self.address) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ListenerLimits,
    watcher: Watcher,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_time));
    let (unread, leftovers) = unread();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(unread.watch(request).map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let ended = tokio::select! {
        ended = watcher.watch(connection) => ended,
        () = leftovers.take(limits.unread) => return,
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Whether it is only this one connection that failed.
fn is_the_peers(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    struct Server {
        address: SocketAddr,
        stop: CancellationToken,
        task: tokio::task::JoinHandle<()>,
    }

    async fn server(limits: ListenerLimits) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().route("/", get(|| async { "here" }));
        let stop = CancellationToken::new();
        let task = tokio::spawn(serve(listener, router, limits, stop.clone()));
        Server {
            address,
            stop,
            task,
        }
    }

    async fn answer(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("an answer");
        text
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_ends_its_header_is_hung_up_on() {
        let server = server(ListenerLimits::default()).await;
        let mut stream = TcpStream::connect(server.address).await.expect("connects");
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nx-slow: ")
            .await
            .expect("writes");

        let text = answer(&mut stream).await;

        assert!(!text.contains("here"), "{text}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_after_its_answer() {
        let server = server(ListenerLimits::default()).await;
        let mut stream = TcpStream::connect(server.address).await.expect("connects");
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .await
            .expect("writes");

        let text = answer(&mut stream).await;

        assert!(text.ends_with("here"), "{text}");
    }

    #[tokio::test]
    async fn a_connection_over_the_limit_waits_for_another_to_end() {
        let limits = ListenerLimits {
            connections: 1,
            ..ListenerLimits::default()
        };
        let server = server(limits).await;
        let first = TcpStream::connect(server.address).await.expect("connects");
        let mut second = TcpStream::connect(server.address).await.expect("connects");
        second
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            .await
            .expect("writes");
        let early = tokio::time::timeout(Duration::from_millis(50), second.readable()).await;
        assert!(early.is_err(), "the second connection was answered");

        drop(first);

        assert!(answer(&mut second).await.ends_with("here"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_of_its_answer_is_hung_up_on() {
        const LONG: usize = 64 * 1024 * 1024;

        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().route("/", get(|| async { "x".repeat(LONG) }));
        let limits = ListenerLimits {
            connections: 1,
            ..ListenerLimits::default()
        };
        tokio::spawn(serve(listener, router, limits, CancellationToken::new()));
        let mut deaf = TcpStream::connect(address).await.expect("connects");
        let request = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        deaf.write_all(request).await.expect("writes");

        let mut next = TcpStream::connect(address).await.expect("connects");
        next.write_all(request).await.expect("writes");

        assert!(next.readable().await.is_ok());
    }

    #[tokio::test]
    async fn an_address_with_too_many_connections_gets_no_other() {
        let limits = ListenerLimits {
            connections_of_peer: 1,
            ..ListenerLimits::default()
        };
        let server = server(limits).await;
        let mut first = TcpStream::connect(server.address).await.expect("connects");
        first
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .await
            .expect("writes");
        first.readable().await.expect("is answered");

        let mut second = TcpStream::connect(server.address).await.expect("connects");

        assert_eq!(second.read(&mut [0]).await.unwrap_or(0), 0);
    }

    #[tokio::test]
    async fn the_listener_ends_when_it_is_stopped() {
        let server = server(ListenerLimits::default()).await;

        server.stop.cancel();

        server.task.await.expect("ends");
    }
}
