//! Journal of requests to the world, for observers outside.

use std::{collections::VecDeque, sync::Arc};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::watch;

use crate::{clock::WorldClock, service::Service};

/// Events that are remembered; older ones are forgotten.
const CAPACITY: usize = 10_000;

/// Records events at the services, in order. Clones share it.
#[derive(Clone)]
pub(crate) struct Journal {
    entries: Arc<watch::Sender<Entries>>,
    clock: WorldClock,
}

#[derive(Default)]
struct Entries {
    /// Number of the newest entry, counted from one.
    last: u64,
    kept: VecDeque<Entry>,
}

/// One event, with its number.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    number: u64,
    /// Time of the world's clock.
    #[serde(serialize_with = "crate::date_time::serialize")]
    at: Timestamp,
    service: Service,
    #[serde(flatten)]
    event: Event,
}

/// An event at a service.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// A request arrived.
    Asked { method: String, path: String },
    /// The request with this number was answered, by a planned fault perhaps.
    Answered { request: u64, status: u16 },
    /// A person's phone received a request.
    PhoneRang {
        session: &'static str,
        /// Text shown to the person, if it is from the request.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
}

impl Journal {
    pub(crate) fn new(clock: WorldClock) -> Self {
        Self {
            entries: Arc::default(),
            clock,
        }
    }

    /// Records an event and returns its number.
    pub(crate) fn note(&self, service: Service, event: Event) -> u64 {
        let at = self.clock.now();
        let mut number = 0;
        self.entries.send_modify(|entries| {
            entries.last += 1;
            number = entries.last;
            if entries.kept.len() == CAPACITY {
                entries.kept.pop_front();
            }
            entries.kept.push_back(Entry {
                number,
                at,
                service,
                event,
            });
        });
        number
    }

    /// Entries after this number; waits until there is one.
    pub(crate) async fn after(&self, number: u64) -> Vec<Entry> {
        let mut entries = self.entries.subscribe();
        match entries.wait_for(|entries| entries.last > number).await {
            Ok(entries) => entries.after(number),
            Err(_) => Vec::new(),
        }
    }
}

impl Entries {
    fn after(&self, number: u64) -> Vec<Entry> {
        let from = self.kept.partition_point(|entry| entry.number <= number);
        self.kept.range(from..).cloned().collect()
    }
}

/// Middleware that records the requests of a service and their answers.
pub(crate) async fn keep(
    State((journal, service)): State<(Journal, Service)>,
    request: Request,
    next: Next,
) -> Response {
    let asked = Event::Asked {
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
    };
    let number = journal.note(service, asked);
    let response = next.run(request).await;
    let answered = Event::Answered {
        request: number,
        status: response.status().as_u16(),
    };
    journal.note(service, answered);
    response
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::SignedDuration;

    use super::*;
    use crate::clock::SystemClock;

    const RANG: Event = Event::PhoneRang {
        session: "test",
        text: None,
    };

    fn journal() -> Journal {
        Journal::new(WorldClock::new(Arc::new(SystemClock), SignedDuration::ZERO))
    }

    #[tokio::test]
    async fn who_has_read_all_waits_for_what_comes_next() {
        let journal = journal();
        let read = journal.note(Service::SmartId, RANG);
        let waiting = tokio::spawn({
            let journal = journal.clone();
            async move { journal.after(read).await }
        });
        tokio::task::yield_now().await;

        let next = journal.note(Service::SmartId, RANG);

        let entries = waiting.await.unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].number, next);
    }

    #[tokio::test]
    async fn the_oldest_events_are_forgotten() {
        let journal = journal();
        for _ in 0..=CAPACITY {
            journal.note(Service::SmartId, RANG);
        }

        let entries = journal.after(0).await;

        assert_eq!(entries.len(), CAPACITY);
        assert_eq!(entries[0].number, 2);
    }
}
