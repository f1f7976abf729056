use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, StatusCode, Uri};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};

/// A receiver has this long to give its status, which alone counts.
pub(super) const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(15),
    max_response_bytes: 64 * 1024,
};

/// What came of one attempt to deliver.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// The receiver took it.
    Acknowledged(StatusCode),
    /// The receiver said that it will not take it.
    Refused(StatusCode),
    /// The receiver is in trouble.
    ServerError(StatusCode),
    /// No status came.
    Unreachable,
    /// The target is one that may not be reached.
    Forbidden,
}

impl Outcome {
    /// Whether another attempt may do better: after 5xx answers and transport
    /// failures alone.
    pub(super) fn may_be_repeated(self) -> bool {
        matches!(self, Self::ServerError(_) | Self::Unreachable)
    }

    /// The kind of outcome, for counting.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Acknowledged(_) => "acknowledged",
            Self::Refused(_) => "refused",
            Self::ServerError(_) => "server-error",
            Self::Unreachable => "unreachable",
            Self::Forbidden => "forbidden-target",
        }
    }

    /// The receiver's status, or what stood in its way.
    pub(super) fn described(self) -> String {
        match self {
            Self::Acknowledged(status) | Self::Refused(status) | Self::ServerError(status) => {
                status.as_str().to_owned()
            }
            Self::Unreachable => "unreachable".to_owned(),
            Self::Forbidden => "forbidden-target".to_owned(),
        }
    }

    fn of(status: StatusCode) -> Self {
        if status.is_success() {
            Self::Acknowledged(status)
        } else if status.is_server_error() {
            Self::ServerError(status)
        } else {
            Self::Refused(status)
        }
    }
}

/// Posts a signed body.
pub(super) async fn post(
    port: &dyn HttpPort,
    target: &Uri,
    headers: http::HeaderMap,
    body: Bytes,
) -> Outcome {
    let mut request = Request::new(body);
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = target.clone();
    *request.headers_mut() = headers;
    request
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match port.status(request, LIMITS).await {
        Ok(status) => Outcome::of(status),
        Err(HttpPortError::Forbidden { .. }) => Outcome::Forbidden,
        Err(
            HttpPortError::TimedOut(_)
            | HttpPortError::Transport(_)
            | HttpPortError::ResponseTooLong { .. }
            | HttpPortError::Spent,
        ) => Outcome::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trouble_on_the_way_or_at_the_receivers_is_tried_again() {
        let of = |code| Outcome::of(StatusCode::from_u16(code).expect("a status"));

        for code in [200, 204, 301, 308, 400, 404, 408, 410, 429] {
            assert!(!of(code).may_be_repeated(), "{code}");
        }
        for code in [500, 502, 503, 504, 599] {
            assert!(of(code).may_be_repeated(), "{code}");
        }
        assert!(Outcome::Unreachable.may_be_repeated());
        assert!(!Outcome::Forbidden.may_be_repeated());
    }
}
