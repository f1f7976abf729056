//! A proxy between a program and its database that causes faults of the connection.

mod link;
mod messages;

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use self::link::Link;

/// The treatment of incoming data.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Traffic {
    /// Forwarded.
    #[default]
    Passed,
    /// Forwarded after this delay, in both directions.
    Late(Duration),
    /// Connections are accepted, and never answered. Data swallowed on a connection are lost: it
    /// stays mute when others are forwarded again.
    Swallowed,
    /// Connections are closed at once.
    Refused,
}

/// The moment of a fault of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Moment {
    /// Instead of passing `COMMIT` on.
    BeforeCommit,
    /// After the database has committed, instead of forwarding its answer.
    BeforeCommitIsAnswered,
    /// Instead of forwarding that a statement with this tag was done, such as `UPDATE 1`.
    BeforeAnswer(&'static str),
}

/// The fault of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    Cut,
    Swallowed,
}

/// A proxy on the loopback address in front of a PostgreSQL.
#[derive(Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
    port: u16,
}

#[derive(Debug)]
struct Shared {
    upstream: u16,
    traffic: Mutex<Traffic>,
    fates: Mutex<Vec<(Moment, Fate)>>,
    links: Mutex<Vec<Arc<Link>>>,
    is_closed: AtomicBool,
}

impl Proxy {
    /// Starts a proxy for this port. It does not support TLS.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn before(upstream: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let shared = Arc::new(Shared {
            upstream,
            traffic: Mutex::default(),
            fates: Mutex::default(),
            links: Mutex::default(),
            is_closed: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        thread::spawn(move || accepting.accept(&listener));
        Self { shared, port }
    }

    /// Returns its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of a database behind it, of the user of a [`Postgres`](crate::Postgres).
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let user = crate::postgres::USER;
        format!(
            "postgresql://{user}@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }

    /// Sets the treatment of incoming data from now on.
    pub fn set(&self, traffic: Traffic) {
        *lock(&self.shared.traffic) = traffic;
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for link in lock(&self.shared.links).drain(..) {
            link.cut();
        }
    }

    /// Cuts the first connection that reaches this moment, once.
    pub fn cut_at(&self, moment: Moment) {
        lock(&self.shared.fates).push((moment, Fate::Cut));
    }

    /// Mutes the first connection that reaches this moment, once, and leaves both its ends open.
    pub fn swallow_at(&self, moment: Moment) {
        lock(&self.shared.fates).push((moment, Fate::Swallowed));
    }

    /// Returns the number of moments not reached.
    #[must_use]
    pub fn moments_to_come(&self) -> usize {
        lock(&self.shared.fates).len()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Release);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        self.cut();
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        while let Ok((client, _)) = listener.accept() {
            if self.is_closed.load(Ordering::Acquire) {
                return;
            }
            let link = match self.traffic() {
                Traffic::Refused => continue,
                Traffic::Swallowed => Some(Link::to_nobody(client)),
                Traffic::Passed | Traffic::Late(_) => Link::between(client, self.upstream),
            };
            let Some(link) = link.map(Arc::new) else {
                continue;
            };
            lock(&self.links).push(link.clone());
            link.start(self);
        }
    }

    fn traffic(&self) -> Traffic {
        *lock(&self.traffic)
    }

    /// Takes the fault of the first planned moment that matches.
    fn take_fate(&self, is_it: impl Fn(Moment) -> bool) -> Option<Fate> {
        let mut fates = lock(&self.fates);
        let place = fates.iter().position(|(moment, _)| is_it(*moment))?;
        Some(fates.remove(place).1)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
