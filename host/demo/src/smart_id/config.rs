use std::time::Duration;

/// `schemeName` of the demo environment, part of every protected payload.
pub(super) const SCHEME_NAME: &str = "smart-id-demo";

/// Timings of Smart-ID's persons and sessions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SmartIdTimings {
    /// Time that a person takes to answer, real time.
    pub device_delay: Duration,
    /// Time after which the service gives up on a person who never answers, real time.
    pub no_answer: Duration,
    /// Time after which the service gives up on a session that no phone took up, by the world's
    /// clock.
    pub session_lifetime: Duration,
    /// Time for which a finished session can be read, by the world's clock.
    pub retention: Duration,
    /// Time for which the app stays open for the linked session after a certificate choice, by the
    /// world's clock.
    pub linked_wait: Duration,
    /// Maximum delay of `elapsedSeconds` of a QR code, by the world's clock.
    pub qr_tolerance: Duration,
    /// Maximum time of a poll until a person follows the session's device link, real time.
    pub longest_link_poll: Duration,
}

impl Default for SmartIdTimings {
    fn default() -> Self {
        Self {
            device_delay: Duration::from_secs(1),
            no_answer: Duration::from_secs(4),
            session_lifetime: Duration::from_secs(300),
            retention: Duration::from_secs(300),
            linked_wait: Duration::from_secs(15),
            qr_tolerance: Duration::from_secs(30),
            longest_link_poll: Duration::MAX,
        }
    }
}

impl SmartIdTimings {
    /// Persons who answer, or fail to, at once: for tests.
    pub fn immediate() -> Self {
        Self {
            device_delay: Duration::ZERO,
            no_answer: Duration::ZERO,
            ..Self::default()
        }
    }
}
