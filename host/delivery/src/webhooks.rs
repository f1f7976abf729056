//! Events, posted to their owners' webhooks.
//!
//! A notice is written in the transaction that causes its event. A job sends it: at least once, in
//! no promised order, signed afresh each time.

mod claim;
mod deliver;
mod keep;
mod lines;
mod send;
mod signature;

use std::sync::Arc;

use parafa_http_port::HttpPort;
use parafa_platform::Records;
use serde::Deserialize;
use tokio::sync::Notify;
use uuid::Uuid;

use self::lines::Lines;
use crate::source::NoticeSources;

pub use self::keep::DROP_NOTICE;
pub(crate) use self::keep::schedule_drop;

/// Number of concurrent deliveries; no receiver and no workspace may use all of them.
pub const DELIVERIES_AT_ONCE: usize = 128;

/// The way out for events. Clones share it.
#[derive(Clone)]
pub struct WebhookSender {
    records: Records,
    sources: NoticeSources,
    port: Arc<dyn HttpPort>,
    lines: Lines,
    /// Woken when there is something new to do.
    work: Arc<Notify>,
}

/// Payload of jobs about a notice.
#[derive(Deserialize)]
struct Payload {
    notice: Uuid,
}

impl WebhookSender {
    /// Sends through `port`, which only reaches allowed webhook targets.
    #[must_use]
    pub fn new(
        records: Records,
        sources: NoticeSources,
        port: Arc<dyn HttpPort>,
        work: Arc<Notify>,
    ) -> Self {
        Self {
            records,
            sources,
            port,
            lines: Lines::default(),
            work,
        }
    }
}
