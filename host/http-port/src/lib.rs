//! The port through which a crate of the host speaks HTTP.
//!
//! `parafa-trust` and `parafa-eid` know neither a socket nor each other: they are given an
//! [`HttpPort`], and the host decides which addresses it reaches.

use std::error::Error;
use std::iter::successors;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

/// Limits of one exchange.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ExchangeLimits {
    /// Time from the first connection attempt to the last byte of the answer.
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
    /// [`HttpPortError`] if there is no complete answer within the limits.
    async fn exchange(
        &self,
        request: http::Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<http::Response<Bytes>, HttpPortError>;

    /// The head of the answer alone, whatever happens to its body. Implementations that see the
    /// head before the body wait only for the head. Others may know only its status.
    ///
    /// # Errors
    /// [`HttpPortError`] if there is no head within the limits.
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

/// Reason for the lack of an answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum HttpPortError {
    /// The address may not be reached.
    #[error("{host} may not be reached: {reason}")]
    Forbidden {
        /// The host of the request.
        host: String,
        /// The rule that forbids it.
        reason: String,
    },
    /// The answer is longer than allowed.
    #[error("the answer is longer than {limit} bytes")]
    ResponseTooLong {
        /// Status of the answer, received before its body.
        status: http::StatusCode,
        /// The limit in bytes.
        limit: usize,
    },
    /// The budget for fetching is spent.
    #[error("the limit on fetched data is reached")]
    Spent,
    /// No complete answer within the time limit.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// No connection, or it broke.
    #[error("the connection failed: {0}")]
    Transport(String),
}

impl HttpPortError {
    /// A short name of the fault, for monitoring.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Forbidden { .. } => "forbidden",
            Self::ResponseTooLong { .. } => "response-too-long",
            Self::Spent => "spent",
            Self::TimedOut(_) => "timeout",
            Self::Transport(_) => "transport",
        }
    }

    fn remedy(&self) -> &'static str {
        match self {
            Self::Forbidden { .. } => {
                "if the address is right, add its host and port to the setting that allows it"
            }
            Self::ResponseTooLong { .. } | Self::Spent => {
                "check that the configured address is the service's, and that the service accepts this machine"
            }
            Self::TimedOut(_) => {
                "check that this machine can reach the service, and read its provider's status page"
            }
            Self::Transport(_) => {
                "check from this machine that the name resolves, the port is open, and the service's certificate leads to a root of the system (ca-certificates) or of the configuration"
            }
        }
    }
}

/// Remedy for the operator when a service gives no usable answer: by its status if it answered,
/// otherwise by the cause of the failure.
#[must_use]
pub fn remedy(status: Option<u16>, error: &(dyn Error + 'static)) -> &'static str {
    let mut causes = successors(Some(error), |&error| error.source());
    let unanswered = causes.find_map(|cause| cause.downcast_ref::<HttpPortError>());
    match (status, unanswered) {
        (Some(401 | 403), _) => {
            "check that name, credentials and this machine's address are those that the provider has registered"
        }
        (Some(429), _) => {
            "the provider's limit on requests is reached: have the contract's limit raised"
        }
        (Some(480), _) => "the provider does not support this version any more: upgrade",
        (Some(500..), _) => {
            "the fault is the provider's, and may be temporary: read its status page, or ask its support"
        }
        (Some(_), _) => "check that the configured address is the service's",
        (None, Some(unanswered)) => unanswered.remedy(),
        (None, None) => {
            "the answer cannot be used: read the cause, and check the address and the trusted authorities"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the service gave no answer")]
    struct NoAnswer(#[source] HttpPortError);

    #[derive(Debug, thiserror::Error)]
    #[error("the answer is in no known form")]
    struct Unreadable;

    #[test]
    fn an_operator_is_told_what_to_do_by_the_status_or_else_by_the_cause_of_silence() {
        let late = NoAnswer(HttpPortError::TimedOut(Duration::from_secs(1)));
        let cut = NoAnswer(HttpPortError::Transport("refused".to_owned()));
        let cases: [(Option<u16>, &(dyn Error + 'static), &str); 8] = [
            (Some(403), &Unreadable, "check that name"),
            (Some(429), &Unreadable, "the provider's limit on requests"),
            (Some(480), &Unreadable, "the provider does not support"),
            (Some(502), &late, "the fault is the provider's"),
            (Some(404), &Unreadable, "check that the configured address"),
            (None, &late, "check that this machine can reach the service"),
            (None, &cut, "check from this machine"),
            (None, &Unreadable, "the answer cannot be used"),
        ];
        for (status, error, begins) in cases {
            let told = remedy(status, error);
            assert!(told.starts_with(begins), "{status:?}: {told}");
        }
    }
}
