//! The world of a client that asks over HTTP, without a network or a clock.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_trust::{RandomSource, RandomUnavailable};

/// One answer, whatever is asked.
pub(crate) struct OneAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl OneAnswer {
    /// 200 with this body.
    pub(crate) fn new(body: &[u8]) -> Self {
        Self::with_status(StatusCode::OK, body)
    }

    pub(crate) fn with_status(status: StatusCode, body: &[u8]) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body),
        }
    }

    pub(crate) fn of_type(mut self, media_type: &'static str) -> Self {
        let media_type = HeaderValue::from_static(media_type);
        self.headers.insert(CONTENT_TYPE, media_type);
        self
    }
}

#[async_trait]
impl HttpPort for OneAnswer {
    async fn exchange(
        &self,
        _: Request<Bytes>,
        _: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let mut answer = Response::new(self.body.clone());
        *answer.status_mut() = self.status;
        answer.headers_mut().clone_from(&self.headers);
        Ok(answer)
    }
}

/// Random numbers that are not.
pub(crate) struct FixedRandom;

impl FixedRandom {
    pub(crate) const OCTET: u8 = 0xa5;
}

impl RandomSource for FixedRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomUnavailable> {
        bytes.fill(Self::OCTET);
        Ok(())
    }
}

pub(crate) fn now() -> Timestamp {
    "2026-11-21T16:00:00Z".parse().expect("a sound time")
}

/// Returns the output of a future that waits for nothing.
pub(crate) fn run_at_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("there is nothing to wait for"),
    }
}
