//! Events, posted to where their owners want them.
//!
//! A notice is written in the transaction that causes its event and leaves as
//! a job: at least once, in no promised order, signed afresh each time.

mod deliver;
mod keep;
mod lines;
mod schedule;
mod send;
mod signature;

use std::sync::Arc;

use parafa_http_port::HttpPort;

use self::lines::Lines;

pub(crate) use keep::DROP_NOTICE;
pub(crate) use schedule::next_attempt;

/// The way out for events.
#[derive(Clone)]
pub(crate) struct WebhookSender {
    port: Arc<dyn HttpPort>,
    lines: Lines,
}

impl WebhookSender {
    /// Sends through `port`, which reaches only what webhooks may reach.
    pub(crate) fn new(port: Arc<dyn HttpPort>) -> Self {
        Self {
            port,
            lines: Lines::default(),
        }
    }
}
