//! Random numbers, injected.

/// Source of nonces.
pub trait RandomSource: Send + Sync {
    /// Fills `bytes` with unpredictable octets.
    ///
    /// # Errors
    /// [`RandomUnavailable`] if the source fails.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomUnavailable>;
}

/// The source of random numbers failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the source of random numbers gave none")]
pub struct RandomUnavailable;

/// The operating system's random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl RandomSource for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomUnavailable> {
        getrandom::fill(bytes).map_err(|_| RandomUnavailable)
    }
}
