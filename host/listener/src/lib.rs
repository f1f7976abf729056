//! Takes connections and speaks HTTP/1.1 on them, within bounds that no client
//! can stretch.

mod client;
mod descriptors;
mod heads;
mod large_heads;
mod metrics;
mod refusals;
mod service;
mod slots;
mod unread;
mod wire;
mod write_pace;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use parafa_api_http::BaseUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use self::client::counted_as;
pub use self::client::{MalformedProxies, TrustedProxies};
pub use self::descriptors::Connections;
use self::heads::LONGEST_HEAD;
use self::large_heads::LargeHeads;
pub use self::metrics::{TracedBy, count_requests, register as register_metrics};
use self::refusals::no_room;
use self::service::Service;
use self::slots::{ConnectionSlot, ConnectionSlots};
pub use self::unread::UnreadLimits;
use self::unread::unread;
use self::wire::{Exchange, Wire};

/// Pause of accepting after the system refused a connection for want of descriptors or memory.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(200);
/// Read buffer of the HTTP library before a whole head is there; larger than any head.
const READ_AHEAD: usize = LONGEST_HEAD + 1024;
/// Connections that get a refusal for want of a slot at once, and the time limit of each.
const TURNED_AWAY_AT_ONCE: usize = 32;
const TURNING_AWAY: Duration = Duration::from_secs(1);
/// Maximum number of connections that linger after a refusal at once; what they sent stays in
/// memory meanwhile.
const LINGERING_AT_ONCE: usize = 64;

/// Settings of a listener and limits on its clients.
#[derive(Clone, Debug)]
pub struct ListenerSettings {
    /// Its name in the metrics.
    pub name: &'static str,
    /// Base URL of problem types.
    pub base_url: BaseUrl,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: TrustedProxies,
    /// Bounds.
    pub limits: ListenerLimits,
}

/// Limits on a listener's clients.
#[derive(Clone, Copy, Debug)]
pub struct ListenerLimits {
    /// Longest time from the start of waiting for a request to the end of its header. Also the time
    /// for which an idle connection is kept.
    pub header_time: Duration,
    /// Longest time in which a client reads nothing of its answer.
    pub write_time: Duration,
    /// Maximum number of open connections. At the maximum, a new connection replaces an idle one,
    /// or is turned away if there is none.
    pub connections: usize,
    /// Maximum number for one client, of connections or of requests under way through proxies.
    pub connections_of_client: usize,
    /// Limits on reading the rest of a request after its answer.
    pub unread: UnreadLimits,
}

impl ListenerLimits {
    /// 30 seconds each way, and `connections` connections. One client may have half of them: an
    /// office has one address, and so has a proxy that is not configured.
    pub fn of(connections: usize) -> Self {
        Self {
            header_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            connections,
            connections_of_client: connections.div_ceil(2),
            unread: UnreadLimits::default(),
        }
    }
}

/// Serves `router` until `stop`, then finishes open requests.
///
/// Every request carries its client's address as [`ConnectInfo`]; behind a trusted proxy with port
/// 0.
///
/// [`ConnectInfo`]: axum::extract::ConnectInfo
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: ListenerSettings,
    stop: CancellationToken,
) {
    let ListenerSettings {
        name,
        base_url,
        proxies,
        limits,
    } = settings;
    let slots = ConnectionSlots::new(name, limits.connections, limits.connections_of_client);
    let door = ListenerContext {
        service: Service::new(router, slots.clone(), proxies.clone(), base_url),
        limits,
        large_heads: LargeHeads::default(),
        lingering: Arc::new(Semaphore::new(LINGERING_AT_ONCE)),
        turned_away: Arc::new(Semaphore::new(TURNED_AWAY_AT_ONCE)),
    };
    let connections = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // This fails only if the connection has ended.
                let _ = stream.set_nodelay(true);
                let client = (!proxies.trusts(peer.ip())).then(|| counted_as(peer.ip()));
                match slots.enter(client) {
                    Some(slot) => {
                        let watcher = connections.watcher();
                        let from = Origin { peer, client };
                        tokio::spawn(door.clone().converse(stream, from, slot, watcher));
                    }
                    None => door.turn_away(stream),
                }
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

/// Origin of a connection.
#[derive(Clone, Copy)]
struct Origin {
    peer: SocketAddr,
    /// The client that owns the connection; `None` for a trusted proxy's.
    client: Option<IpAddr>,
}

/// State shared by all connections of a listener.
#[derive(Clone)]
struct ListenerContext {
    service: Service,
    limits: ListenerLimits,
    large_heads: LargeHeads,
    lingering: Arc<Semaphore>,
    turned_away: Arc<Semaphore>,
}

impl ListenerContext {
    async fn converse(
        self,
        stream: TcpStream,
        from: Origin,
        slot: ConnectionSlot,
        watcher: Watcher,
    ) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.write_time));
        let (unread, leftovers) = unread();
        let exchange = Arc::new(Exchange::new(slot));
        let wire = Wire::new(
            Box::pin(stream),
            exchange.clone(),
            self.service.refusals().clone(),
            self.large_heads,
            self.lingering,
            from.client,
        );
        let served = exchange.clone();
        let service = service_fn(move |request: http::Request<Incoming>| {
            self.service.serve(request, from.peer, &served, &unread)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_time)
            .max_buf_size(READ_AHEAD)
            .serve_connection(TokioIo::new(wire), service);
        let ended = tokio::select! {
            ended = watcher.watch(connection) => ended,
            () = leftovers.take(self.limits.unread) => return,
            () = exchange.slot().lost() => return,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }

    /// Writes a refusal for want of a slot, if the limit on refusals allows.
    fn turn_away(&self, mut stream: TcpStream) {
        let Ok(turn) = self.turned_away.clone().try_acquire_owned() else {
            return;
        };
        let refusal = self.service.refusals().bytes(&no_room(), None);
        tokio::spawn(async move {
            let told = async {
                stream.write_all(&refusal).await?;
                stream.shutdown().await?;
                // Unread input would reset the connection and lose the refusal.
                let mut thrown_away = [0; 1024];
                while stream.read(&mut thrown_away).await? > 0 {}
                Ok::<_, io::Error>(())
            };
            // A client that does not read gets no refusal.
            let _ = tokio::time::timeout(TURNING_AWAY, told).await;
            drop(turn);
        });
    }
}

/// Returns true if only this connection failed.
fn is_the_peers(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests;
