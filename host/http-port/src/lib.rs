//! The port through which a door of the host speaks HTTP.
//!
//! `parafa-trust` and `parafa-eid` know neither a socket nor each other: they
//! are given an [`HttpPort`], and the host decides which addresses it reaches.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

/// One exchange's limits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ExchangeLimits {
    /// From the first connection attempt to the last byte of the answer.
    pub timeout: Duration,
    /// Longest accepted answer body, in bytes.
    pub max_response_bytes: usize,
}

/// Sends requests to hosts that its implementation allows. Redirects are never
/// followed.
#[async_trait]
pub trait HttpPort: Send + Sync {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// [`HttpPortError`] when there is no complete answer within the limits.
    async fn exchange(
        &self,
        request: http::Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<http::Response<Bytes>, HttpPortError>;

    /// The answer's head alone, whatever becomes of its body. Implementations
    /// that see the head before the body wait for no more than the head; others
    /// may know no more of it than its status.
    ///
    /// # Errors
    /// [`HttpPortError`] when there is no head within the limits.
    async fn head(
        &self,
        request: http::Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<http::Response<()>, HttpPortError> {
        match self.exchange(request, limits).await {
            Ok(answer) => Ok(answer.map(|_| ())),
            Err(HttpPortError::ResponseTooLong { status, .. }) => {
                let mut head = http::Response::new(());
                *head.status_mut() = status;
                Ok(head)
            }
            Err(error) => Err(error),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum HttpPortError {
    /// The address is not one that may be reached.
    #[error("{host} may not be reached: {reason}")]
    Forbidden {
        /// The host of the request.
        host: String,
        /// Which rule forbids it.
        reason: String,
    },
    /// The answer is longer than allowed.
    #[error("the answer is longer than {limit} bytes")]
    ResponseTooLong {
        /// The answer's status, which came before it.
        status: http::StatusCode,
        /// The limit in bytes.
        limit: usize,
    },
    /// As much was fetched already as may be for one purpose.
    #[error("as much was fetched as may be")]
    Spent,
    /// No complete answer in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// No connection, or it broke.
    #[error("the connection failed: {0}")]
    Transport(String),
}
