use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};

/// Limits of a receiver's answer; only its status counts.
pub(super) const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(15),
    max_response_bytes: 64 * 1024,
};

/// Longest pause that a receiver may ask for.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(24);

/// Statuses of 4xx that ask for another attempt later (RFC 9110, 15.5.9 and
/// 15.5.20; RFC 8470, 5.2; RFC 6585, 4).
const LATER: [StatusCode; 4] = [
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::MISDIRECTED_REQUEST,
    StatusCode::TOO_EARLY,
    StatusCode::TOO_MANY_REQUESTS,
];

/// Outcome of one delivery attempt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// The receiver acknowledged it.
    Acknowledged(StatusCode),
    /// The receiver refused it for good.
    Refused(StatusCode),
    /// A transient failure of the receiver; the next attempt is not before the pause, if it gives
    /// one.
    Later(StatusCode, Option<SignedDuration>),
    /// No status came.
    Unreachable,
    /// The target may not be reached.
    Forbidden,
}

impl Outcome {
    /// Returns true if another attempt may succeed: after transport failures, 5xx answers and those
    /// 4xx answers that mean "later".
    pub(super) fn may_be_repeated(self) -> bool {
        matches!(self, Self::Later(..) | Self::Unreachable)
    }

    /// Pause that the receiver asked for.
    pub(super) fn pause(self) -> SignedDuration {
        match self {
            Self::Later(_, Some(pause)) => pause,
            _ => SignedDuration::ZERO,
        }
    }

    /// The kind of outcome, for counting.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Acknowledged(_) => "acknowledged",
            Self::Refused(_) => "refused",
            Self::Later(status, _) if status.is_client_error() => "later",
            Self::Later(..) => "server-error",
            Self::Unreachable => "unreachable",
            Self::Forbidden => "forbidden-target",
        }
    }

    /// The receiver's status, or the failure.
    pub(super) fn described(self) -> String {
        match self {
            Self::Acknowledged(status) | Self::Refused(status) | Self::Later(status, _) => {
                status.as_str().to_owned()
            }
            Self::Unreachable => "unreachable".to_owned(),
            Self::Forbidden => "forbidden-target".to_owned(),
        }
    }

    fn of(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> Self {
        if status.is_success() {
            Self::Acknowledged(status)
        } else if status.is_server_error() || LATER.contains(&status) {
            Self::Later(status, retry_after(headers, now))
        } else {
            Self::Refused(status)
        }
    }
}

/// The pause of `Retry-After`: seconds, or the time until a date (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if value.is_empty() {
        return None;
    }
    let pause = match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => value
            .parse()
            .map_or(LONGEST_PAUSE, SignedDuration::from_secs),
        false => rfc2822::parse(value).ok()?.timestamp().duration_since(now),
    };
    Some(pause.clamp(SignedDuration::ZERO, LONGEST_PAUSE))
}

/// Posts a signed body `now`.
pub(super) async fn post(
    port: &dyn HttpPort,
    target: &Uri,
    headers: HeaderMap,
    body: Bytes,
    now: Timestamp,
) -> Outcome {
    let mut request = Request::new(body);
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = target.clone();
    *request.headers_mut() = headers;
    request
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match port.head(request, LIMITS).await {
        Ok(head) => Outcome::of(head.status(), head.headers(), now),
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

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn of(code: u16, retry_after: Option<&'static str>) -> Outcome {
        let value = retry_after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value)));
        let headers = value.into_iter().collect();
        Outcome::of(StatusCode::from_u16(code).expect("a status"), &headers, NOW)
    }

    #[test]
    fn trouble_and_later_are_tried_again_and_nothing_else() {
        for code in [200, 204, 301, 308, 400, 404, 410, 422, 426] {
            assert!(!of(code, Some("5")).may_be_repeated(), "{code}");
        }
        for code in [408, 421, 425, 429, 500, 502, 503, 504, 599] {
            assert!(of(code, None).may_be_repeated(), "{code}");
        }
        assert!(Outcome::Unreachable.may_be_repeated());
        assert!(!Outcome::Forbidden.may_be_repeated());
    }

    #[test]
    fn a_receiver_says_how_long_it_is_to_be_left_alone_for_a_day_at_most() {
        let pause = |value| of(429, value).pause().as_secs();

        assert_eq!(pause(Some("600")), 600);
        assert_eq!(pause(Some("Thu, 01 Jan 1970 00:20:00 GMT")), 1200);
        assert_eq!(pause(Some("Wed, 31 Dec 1969 23:00:00 GMT")), 0);
        for long in ["86401", "99999999999999999999"] {
            assert_eq!(pause(Some(long)), 24 * 60 * 60);
        }
        for nothing in [None, Some("soon"), Some("-5"), Some("")] {
            assert_eq!(pause(nothing), 0, "{nothing:?}");
        }
    }
}
