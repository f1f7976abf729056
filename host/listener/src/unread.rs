//! Request bodies that handlers leave unread.
//!
//! Many clients send the whole request before they read the answer. Closing the connection while
//! one is still sending would reset it and lose the answer (RFC 9112, 9.6). So the rest is read and
//! discarded, within bounds.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::EXPECT;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout_at};

/// Limits on reading a body that no handler wants.
#[derive(Clone, Copy, Debug)]
pub struct UnreadLimits {
    /// Most bytes.
    pub bytes: usize,
    /// Longest time without a byte.
    pub quiet: Duration,
    /// Longest time for the whole body.
    pub time: Duration,
}

impl Default for UnreadLimits {
    /// 1.5 times the longest batch accepted by default, with no pause of 2 seconds, within 10
    /// seconds.
    fn default() -> Self {
        Self {
            bytes: 192 * 1024 * 1024,
            quiet: Duration::from_secs(2),
            time: Duration::from_secs(10),
        }
    }
}

/// Queue of the unread bodies of one connection.
#[derive(Clone)]
pub(crate) struct Unread(UnboundedSender<Incoming>);

/// Unread bodies. There is one at a time: the next request of a connection comes after it.
pub(crate) struct Leftovers(UnboundedReceiver<Incoming>);

/// Queue of one connection.
pub(crate) fn unread() -> (Unread, Leftovers) {
    let (sender, receiver) = unbounded_channel();
    (Unread(sender), Leftovers(receiver))
}

impl Unread {
    /// The body of a request, which is left here when it is dropped too early.
    pub(crate) fn watch(&self, request: Request<Incoming>) -> Request<WatchedBody> {
        let waits = request.headers().contains_key(EXPECT);
        request.map(|incoming| WatchedBody {
            incoming: Some(incoming),
            waits,
            unread: self.clone(),
        })
    }
}

impl Leftovers {
    /// Reads and discards unread bodies; never ends.
    pub(crate) async fn take(mut self, limits: UnreadLimits) {
        while let Some(body) = self.0.recv().await {
            take(body, limits).await;
        }
        pending::<()>().await;
    }
}

/// Ends at the end of the body, or at a limit: then the connection is closed
/// once the answer is sent.
async fn take(mut body: Incoming, limits: UnreadLimits) {
    let end = Instant::now() + limits.time;
    let mut bytes = 0;
    while bytes <= limits.bytes {
        let until = end.min(Instant::now() + limits.quiet);
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let Ok(Some(Ok(frame))) = timeout_at(until, frame).await else {
            return;
        };
        bytes += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// A request's body on its way to the handler.
pub(crate) struct WatchedBody {
    /// `None` once it has ended.
    incoming: Option<Incoming>,
    /// True while the client may wait for 100 (Continue) before it sends the body (RFC 9110,
    /// 10.1.1). An unwanted body is then never sent.
    waits: bool,
    unread: Unread,
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.waits = false;
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(incoming).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.incoming = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.incoming {
            Some(incoming) => incoming.size_hint(),
            None => SizeHint::with_exact(0),
        }
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        if self.waits || self.is_end_stream() {
            return;
        }
        if let Some(incoming) = self.incoming.take() {
            // Without the connection there is nothing to read.
            let _ = self.unread.0.send(incoming);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::post;
    use http::StatusCode;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::tests::settings;
    use crate::{ListenerLimits, serve};

    const MIB: usize = 1024 * 1024;

    /// A connection to a server that wants no body.
    async fn connect(unread: UnreadLimits) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let refuse = || async { (StatusCode::PAYLOAD_TOO_LARGE, "too much") };
        let router = Router::new().route("/", post(refuse));
        let limits = ListenerLimits {
            unread,
            ..ListenerLimits::of(10)
        };
        let settings = settings(limits, &[]);
        tokio::spawn(serve(listener, router, settings, CancellationToken::new()));
        TcpStream::connect(address).await.expect("connects")
    }

    fn head(fields: &str) -> String {
        format!("POST / HTTP/1.1\r\nhost: a\r\n{fields}\r\n\r\n")
    }

    /// Everything the server sends until it closes the connection.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("an answer");
        text
    }

    #[tokio::test]
    async fn whoever_sends_everything_first_reads_the_answer_and_may_go_on() {
        let mut stream = connect(UnreadLimits::default()).await;
        let length = 25 * MIB;

        for last in ["", "connection: close\r\n"] {
            let head = head(&format!("{last}content-length: {length}"));
            stream.write_all(head.as_bytes()).await.expect("writes");
            stream.write_all(&vec![b' '; length]).await.expect("writes");
        }

        let answers = rest(&mut stream).await;
        assert_eq!(answers.matches("413 Payload Too Large").count(), 2);
        assert!(answers.ends_with("too much"), "{answers}");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_sends_no_more_is_hung_up_on() {
        let mut stream = connect(UnreadLimits::default()).await;
        let head = head("content-length: 100");
        stream.write_all(head.as_bytes()).await.expect("writes");
        let begun = Instant::now();

        let answer = rest(&mut stream).await;

        assert!(answer.ends_with("too much"), "{answer}");
        assert!(begun.elapsed() < UnreadLimits::default().time);
    }

    #[tokio::test]
    async fn a_body_without_end_is_cut_off() {
        let few = UnreadLimits {
            bytes: MIB,
            ..UnreadLimits::default()
        };
        let mut stream = connect(few).await;
        let head = head("content-length: 1000000000000");
        stream.write_all(head.as_bytes()).await.expect("writes");

        let chunk = vec![b' '; MIB];
        while stream.write_all(&chunk).await.is_ok() {}
    }

    #[tokio::test]
    async fn whoever_asks_before_sending_is_answered_and_sends_nothing() {
        let mut stream = connect(UnreadLimits::default()).await;
        let head = head("expect: 100-continue\r\ncontent-length: 100");
        stream.write_all(head.as_bytes()).await.expect("writes");

        let answer = rest(&mut stream).await;

        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    }
}
