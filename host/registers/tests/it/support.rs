//! Services on loopback, and the way to them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use axum::Router;
use jiff::Timestamp;
use parafa_http_port::HttpPort;
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_register_data::Query;
use parafa_registers::{Absence, Clock, RegisterAnswer, SourceError, Unavailable};
use url::Url;

pub(crate) const COMPLETE: &str = "999000009";

/// Serves on a port of loopback until the test ends.
pub(crate) async fn serve(router: Router) -> Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    Url::parse(&format!("http://{address}")).unwrap()
}

/// The vetted way to one service.
pub(crate) fn port_to(url: &Url) -> Arc<dyn HttpPort> {
    let listed = HostPort::of(url).into_iter().collect();
    let policy = AddressPolicy::new(listed, Reach::ListedOnly);
    Arc::new(OutboundClient::new(policy, &ServerTrust::default()).unwrap())
}

/// A clock that a test moves, in seconds since the epoch.
#[derive(Clone, Default)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn forward(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn clock(&self) -> Clock {
        let seconds = Arc::clone(&self.0);
        Arc::new(move || Timestamp::from_second(seconds.load(Ordering::SeqCst)).unwrap())
    }
}

/// Requests to a service, in order.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    pub(crate) fn note(&self, what: impl Into<String>) -> usize {
        let mut asked = self.0.lock().unwrap();
        asked.push(what.into());
        asked.len()
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) fn profile(code: &str) -> Query {
    Query::CompanyProfile(code.parse().unwrap())
}

#[track_caller]
pub(crate) fn nothing<T: std::fmt::Debug>(
    answer: Result<T, SourceError>,
) -> RegisterAnswer<Absence> {
    match answer {
        Err(SourceError::NoData(absent)) => *absent,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub(crate) fn unavailable<T: std::fmt::Debug>(answer: Result<T, SourceError>) -> Unavailable {
    match answer {
        Err(SourceError::Unavailable(reason)) => reason,
        other => panic!("{other:?}"),
    }
}
