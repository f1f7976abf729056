//! One connection through the proxy.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::messages::{Messages, Sender};
use super::{Fate, Moment, Shared, Traffic};

/// The two ends of a connection.
#[derive(Debug)]
pub(super) struct Link {
    client: TcpStream,
    /// `None` if everything was swallowed from the beginning.
    server: Option<TcpStream>,
    /// True if data was swallowed, so that nothing after it may pass.
    is_mute: AtomicBool,
}

impl Link {
    /// Connects both ends; `None` if the upstream does not listen.
    pub(super) fn between(client: TcpStream, upstream: u16) -> Option<Self> {
        let server = TcpStream::connect(("127.0.0.1", upstream)).ok()?;
        for end in [&client, &server] {
            end.set_nodelay(true).ok()?;
        }
        Some(Self {
            client,
            server: Some(server),
            is_mute: AtomicBool::new(false),
        })
    }

    pub(super) fn to_nobody(client: TcpStream) -> Self {
        Self {
            client,
            server: None,
            is_mute: AtomicBool::new(true),
        }
    }

    pub(super) fn cut(&self) {
        for end in [Some(&self.client), self.server.as_ref()]
            .into_iter()
            .flatten()
        {
            // The connection may be closed already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Forwards incoming data, in threads of their own, until one end closes.
    pub(super) fn start(self: &Arc<Self>, shared: &Arc<Shared>) {
        let from_server = self.server.is_some().then_some(Sender::Server);
        for sender in [Sender::Client].into_iter().chain(from_server) {
            let (link, shared) = (self.clone(), shared.clone());
            thread::spawn(move || {
                link.pass_on(sender, &shared);
                link.cut();
            });
        }
    }

    /// Forwards data in one direction; `None` when the connection ends.
    fn pass_on(&self, sender: Sender, shared: &Shared) -> Option<()> {
        let (mut from, to) = match sender {
            Sender::Client => (&self.client, self.server.as_ref()),
            Sender::Server => (self.server.as_ref()?, Some(&self.client)),
        };
        let mut messages = Messages::of(sender);
        let mut buffer = [0; 16 * 1024];
        loop {
            let read = from.read(&mut buffer).ok().filter(|read| *read > 0)?;
            match shared.traffic() {
                Traffic::Swallowed => self.is_mute.store(true, Ordering::Release),
                Traffic::Late(by) => thread::sleep(by),
                Traffic::Passed | Traffic::Refused => {}
            }
            if self.is_mute.load(Ordering::Acquire) {
                continue;
            }
            messages.push(&buffer[..read]);
            while let Some(message) = messages.next() {
                match shared.take_fate(|moment| is_now(moment, sender, &message)) {
                    None => to?.write_all(&message).ok()?,
                    Some(Fate::Cut) => return None,
                    Some(Fate::Swallowed) => {
                        self.is_mute.store(true, Ordering::Release);
                        break;
                    }
                }
            }
        }
    }
}

/// Returns true if this message is at that moment.
fn is_now(moment: Moment, sender: Sender, message: &[u8]) -> bool {
    let is_done = |tag: &str| {
        let tag = [tag.as_bytes(), b"\0"].concat();
        sender == Sender::Server && message.first() == Some(&b'C') && message[5..] == tag
    };
    match moment {
        Moment::BeforeCommit => {
            let is_query = sender == Sender::Client && message.first() == Some(&b'Q');
            is_query && message[5..] == *b"COMMIT\0"
        }
        Moment::BeforeCommitIsAnswered => is_done("COMMIT"),
        Moment::BeforeAnswer(tag) => is_done(tag),
    }
}
