//! Events, posted to where their owners want them.
//!
//! A notice is written in the transaction that causes its event and leaves as
//! a job: at least once, in no promised order, signed afresh each time.

mod claim;
mod deliver;
mod keep;
mod lines;
mod send;
mod signature;

use std::sync::Arc;

use parafa_http_port::HttpPort;

use self::lines::Lines;
use crate::error::WorkflowError;
use crate::records::{EventKind, EventPayload, NoticeRow};

pub(crate) use keep::DROP_NOTICE;
pub(crate) use lines::Turn;

/// Writes what a webhook is posted; the same on every attempt.
pub(crate) type EventWriter =
    fn(&NoticeRow, EventKind, &EventPayload) -> Result<Vec<u8>, WorkflowError>;

/// The way out for events.
#[derive(Clone)]
pub(crate) struct WebhookSender {
    port: Arc<dyn HttpPort>,
    write: EventWriter,
    lines: Lines,
}

impl WebhookSender {
    /// Sends what `write` writes through `port`, which reaches only what
    /// webhooks may reach.
    pub(crate) fn new(port: Arc<dyn HttpPort>, write: EventWriter) -> Self {
        Self {
            port,
            write,
            lines: Lines::default(),
        }
    }

    /// Follows a clock that was set back.
    pub(crate) fn follow_clock_back(&self) {
        self.lines.forget();
    }
}
