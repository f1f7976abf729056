use std::time::Duration;

/// Timings of Mobile-ID's persons and sessions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MobileIdTimings {
    /// Time that a person takes to answer, real time.
    pub device_delay: Duration,
    /// Time after which the service gives up on a person who never answers, real time.
    pub no_answer: Duration,
    /// Time for which a session can be read, by the world's clock.
    pub session_lifetime: Duration,
}

impl Default for MobileIdTimings {
    fn default() -> Self {
        Self {
            device_delay: Duration::from_secs(1),
            no_answer: Duration::from_secs(4),
            session_lifetime: Duration::from_secs(300),
        }
    }
}

impl MobileIdTimings {
    /// Persons who answer, or fail to, at once: for tests.
    pub fn immediate() -> Self {
        Self {
            device_delay: Duration::ZERO,
            no_answer: Duration::ZERO,
            ..Self::default()
        }
    }
}
