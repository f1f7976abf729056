//! Sends ended spans. No work waits for it: spans that do not fit the queue are dropped.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::metrics::{SpanEnd, spans_ended};
use crate::otlp;
use crate::span::Recorded;

/// Spans that wait for the collector at most.
pub(crate) const QUEUE: usize = 4096;
/// Spans that are sent in one request at most.
const BATCH: usize = 512;
/// Time for which spans are batched.
const GATHERING: Duration = Duration::from_secs(1);
/// Interval between log lines about spans that cannot be sent.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Sends the spans of a layer.
#[derive(Debug)]
pub struct Exporter {
    spans: Receiver<Recorded>,
    told: Option<Instant>,
}

impl Exporter {
    pub(crate) fn new(spans: Receiver<Recorded>) -> Self {
        Self { spans, told: None }
    }

    /// Posts spans in OTLP requests until `stop`, then those that have ended by then. A failed
    /// request is not repeated.
    pub async fn run<P, F, E>(mut self, post: P, stop: CancellationToken)
    where
        P: Fn(Bytes) -> F + Send + Sync,
        F: Future<Output = Result<(), E>> + Send,
        E: Error + Send + Sync + 'static,
    {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let may_come = tokio::select! {
                () = stop.cancelled() => false,
                is_open = self.gather(&mut batch) => is_open,
            };
            if !may_come {
                break;
            }
            self.send(&mut batch, &post).await;
        }
        loop {
            while batch.len() < BATCH
                && let Ok(span) = self.spans.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            self.send(&mut batch, &post).await;
        }
    }

    /// Waits for a span, then a while for others. Returns false if there will be no more.
    async fn gather(&mut self, batch: &mut Vec<Recorded>) -> bool {
        if self.spans.recv_many(batch, BATCH).await == 0 {
            return false;
        }
        let mut gathered = std::pin::pin!(sleep(GATHERING));
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            let came = tokio::select! {
                () = &mut gathered => return true,
                came = self.spans.recv_many(batch, room) => came,
            };
            if came == 0 {
                return false;
            }
        }
        true
    }

    async fn send<P, F, E>(&mut self, batch: &mut Vec<Recorded>, post: &P)
    where
        P: Fn(Bytes) -> F,
        F: Future<Output = Result<(), E>>,
        E: Error + 'static,
    {
        let (request, spans) = (otlp::request(batch), batch.len());
        batch.clear();
        let Err(error) = post(request).await else {
            return spans_ended(SpanEnd::Sent, spans);
        };
        spans_ended(SpanEnd::Failed, spans);
        if self.told.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            self.told = Some(Instant::now());
            let error: &dyn Error = &error;
            tracing::warn!(
                error,
                spans,
                remedy = "check that telemetry.traces_url is the collector's address for traces by OTLP/HTTP, and that this machine can reach it",
                "traces cannot be sent"
            );
        }
    }
}
