//! Layer between a connection and the HTTP library. It checks heads before they are parsed, and
//! writes the refusals for which the library has no body.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use parafa_api_http::{Problem, ProblemType};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

use super::heads::{Framing, Heads, LONGEST_HEAD, LongPart, Seen};
use super::large_heads::{LargeHead, LargeHeads};
use super::refusals::{self, Refusals};
use super::slots::{ConnectionSlot, Turn};
use super::write_pace::WritePace;

/// Length in bytes from which a head counts as large.
const LARGE_HEAD_BYTES: usize = 8 * 1024;
/// Maximum number of fields in a head that the library accepts.
const MOST_FIELDS: usize = 100;
/// Bytes that no parser accepts as a head. The library refuses them, and its refusal is replaced by
/// ours.
const NO_HEAD: &[u8] = b"\0\r\n\r\n";
/// Bounds on reading from a refused connection so that the refusal is not lost: bytes and time.
const LINGER_BYTES: usize = 1024 * 1024;
const LINGER_TIME: Duration = Duration::from_secs(2);

/// State shared by the two ends of a connection: where bytes are read and written, and where
/// requests are served.
pub(crate) struct Exchange {
    state: Mutex<State>,
    slot: ConnectionSlot,
}

struct State {
    stage: Stage,
    /// Framing after the last parsed head, until it is read.
    framing: Option<Framing>,
    /// Waker of the task that waits for `framing`.
    reader: Option<Waker>,
    /// The turn of a forwarded request, until its answer is written.
    turn: Option<Turn>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stage {
    /// No request is served. Bytes written now are a refusal of the library.
    Idle,
    /// A request is being served.
    Serving,
    /// The library has all of the answer, but may not have written it.
    Answered,
}

impl Exchange {
    pub(crate) fn new(slot: ConnectionSlot) -> Self {
        Self {
            state: Mutex::new(State {
                stage: Stage::Idle,
                framing: None,
                reader: None,
                turn: None,
            }),
            slot,
        }
    }

    pub(crate) fn slot(&self) -> &ConnectionSlot {
        &self.slot
    }

    /// Keeps the turn of the current request until its answer is written.
    pub(crate) fn hold(&self, turn: Option<Turn>) {
        self.state().turn = turn;
    }

    /// Begins to serve a request.
    pub(crate) fn begin(&self, framing: Framing) {
        let mut state = self.state();
        state.stage = Stage::Serving;
        state.framing = Some(framing);
        let reader = state.reader.take();
        // Answers of pipelined requests may be written together; the connection still has one turn.
        let turn = state.turn.take();
        drop(state);
        drop(turn);
        self.slot.set_busy();
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// The library has produced all of its answer.
    pub(crate) fn end(&self) {
        self.state().stage = Stage::Answered;
    }

    /// Nothing is left to be written.
    fn flushed(&self) {
        let mut state = self.state();
        if state.stage == Stage::Answered {
            state.stage = Stage::Idle;
            let turn = state.turn.take();
            drop(state);
            drop(turn);
            self.slot.set_idle();
        }
    }

    fn is_idle(&self) -> bool {
        self.state().stage == Stage::Idle
    }

    fn poll_framing(&self, context: &Context<'_>) -> Poll<Framing> {
        let mut state = self.state();
        match state.framing.take() {
            Some(framing) => Poll::Ready(framing),
            None => {
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's stream as the library sees it.
pub(crate) struct Wire<S> {
    stream: S,
    exchange: Arc<Exchange>,
    refusals: Refusals,
    heads: Heads,
    /// Bytes read and not handed on yet.
    held: Bytes,
    large_heads: LargeHeads,
    /// Permits for lingering after a refusal.
    lingering: Arc<Semaphore>,
    /// The client that owns the connection.
    client: Option<IpAddr>,
    /// A large head, held while its request is served.
    large_head: Option<LargeHead>,
    /// The fault of the current head, if the library must not see it.
    found: Option<Problem>,
    /// The library gets bytes that it refuses next.
    spoils: bool,
    refusal: Option<Refusal>,
    pace: WritePace,
}

/// A refusal that is written in place of the library's.
struct Refusal {
    unwritten: Bytes,
    is_shut: bool,
    linger: Pin<Box<Sleep>>,
    lingered: usize,
    /// Permit to linger.
    _turn: Option<OwnedSemaphorePermit>,
}

impl<S> Wire<S> {
    pub(crate) fn new(
        stream: S,
        exchange: Arc<Exchange>,
        refusals: Refusals,
        large_heads: LargeHeads,
        lingering: Arc<Semaphore>,
        client: Option<IpAddr>,
    ) -> Self {
        Self {
            stream,
            exchange,
            refusals,
            heads: Heads::default(),
            held: Bytes::new(),
            large_heads,
            lingering,
            client,
            large_head: None,
            found: None,
            spoils: false,
            refusal: None,
            pace: WritePace::default(),
        }
    }

    /// Number of these bytes that the library gets now.
    fn look_at(&mut self, bytes: &[u8]) -> usize {
        let seen = self.heads.follow(bytes);
        if self.heads.unfinished() > LARGE_HEAD_BYTES && self.large_head.is_none() {
            self.large_head = self.large_heads.take(self.client);
            if self.large_head.is_none() {
                return self.refuse(refusals::no_room(), 0);
            }
        }
        match seen {
            Seen::Nothing => bytes.len(),
            Seen::EndOfHead(at) => at,
            Seen::BareLineFeed(at) => self.refuse(refusals::bare_line_feed(), at),
            Seen::TooLong(at, LongPart::RequestLine) => self.refuse(too_long_address(), at),
            Seen::TooLong(at, LongPart::Fields) => self.refuse(too_large_headers(), at),
        }
    }

    /// Takes over the connection from the library.
    fn refuse(&mut self, problem: Problem, at: usize) -> usize {
        self.heads.go_on(Framing::Unknown);
        self.found = Some(problem);
        self.spoils = true;
        at
    }

    /// The result of writing, or a timeout if the client reads too slowly.
    fn paced(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => self.pace.block(),
            Poll::Ready(Ok(bytes)) if !self.pace.go_on(*bytes) => {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            Poll::Ready(_) => {}
        }
        written
    }

    /// Replaces the library's refusal by ours with the same meaning.
    fn translate(&mut self, library: &[u8]) {
        const STATUS: std::ops::Range<usize> = 9..12;

        if self.refusal.is_some() {
            return;
        }
        let problem = self.found.take().unwrap_or_else(|| {
            let status = library.get(STATUS).unwrap_or_default();
            match status {
                b"414" => too_long_address(),
                b"431" => too_large_headers(),
                _ => refusals::malformed(),
            }
        });
        let mut lines = library.split(|byte| *byte == b'\n');
        let date = lines.find(|line| line.starts_with(b"date: "));
        let date = date.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let turn = self.lingering.clone().try_acquire_owned().ok();
        let time = turn.as_ref().map_or(Duration::ZERO, |_| LINGER_TIME);
        self.refusal = Some(Refusal {
            unwritten: self.refusals.bytes(&problem, date),
            is_shut: false,
            linger: Box::pin(tokio::time::sleep(time)),
            lingered: 0,
            _turn: turn,
        });
    }
}

fn too_long_address() -> Problem {
    let detail = format!(
        "The head of the request is longer than {LONGEST_HEAD} bytes, mostly because of its address."
    );
    Problem::new(ProblemType::URI_TOO_LONG, detail)
}

fn too_large_headers() -> Problem {
    let detail = format!(
        "The head of the request is longer than {LONGEST_HEAD} bytes, or has more than {MOST_FIELDS} fields."
    );
    Problem::new(ProblemType::HEADERS_TOO_LARGE, detail)
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.heads.has_ended() {
            let framing = ready!(this.exchange.poll_framing(context));
            this.heads.go_on(framing);
        }
        if this.held.is_empty() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
            let (_, read) = buffer.filled().split_at(before);
            let taken = this.look_at(read);
            if taken < read.len() {
                this.held = Bytes::copy_from_slice(&read[taken..]);
                buffer.set_filled(before + taken);
            }
        } else {
            let held = this.held.clone();
            let fitting = &held[..held.len().min(buffer.remaining())];
            let taken = this.look_at(fitting);
            buffer.put_slice(&fitting[..taken]);
            this.held = held.slice(taken..);
        }
        if std::mem::take(&mut this.spoils) {
            // Bytes read after the faulty head are dropped.
            let fitting = NO_HEAD.len().min(buffer.remaining());
            buffer.put_slice(&NO_HEAD[..fitting]);
            this.held = Bytes::from_static(NO_HEAD).slice(fitting..);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    fn poll_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(refusal) = &mut self.refusal else {
            return Poll::Ready(Ok(()));
        };
        while !refusal.unwritten.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(context, &refusal.unwritten);
            let written = ready!(written)?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            refusal.unwritten = refusal.unwritten.slice(written..);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads what a refused client still sends, within bounds: closing the connection on it would
    /// lose the refusal.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(refusal) = &mut self.refusal else {
            return Poll::Ready(());
        };
        let mut thrown_away = [0; 8 * 1024];
        while refusal.lingered < LINGER_BYTES && refusal.linger.as_mut().poll(context).is_pending()
        {
            let mut buffer = ReadBuf::new(&mut thrown_away);
            let read = Pin::new(&mut self.stream).poll_read(context, &mut buffer);
            if ready!(read).is_err() || buffer.filled().is_empty() {
                break;
            }
            refusal.lingered += buffer.filled().len();
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.exchange.is_idle() {
            self.translate(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.exchange.is_idle() {
            let bytes = slices.iter().flat_map(|slice| slice.iter().copied());
            let bytes: Vec<u8> = bytes.collect();
            self.translate(&bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.paced(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// The library flushes when it has written all that it has.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.poll_refusal(context))?;
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        this.exchange.flushed();
        let is_large = this.heads.unfinished() > LARGE_HEAD_BYTES || this.heads.has_ended();
        if !is_large && this.exchange.is_idle() {
            this.large_head = None;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        ready!(this.poll_refusal(context))?;
        if !this.refusal.as_ref().is_some_and(|refusal| refusal.is_shut) {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
        }
        if let Some(refusal) = &mut this.refusal {
            refusal.is_shut = true;
        }
        ready!(this.poll_linger(context));
        Poll::Ready(Ok(()))
    }
}
