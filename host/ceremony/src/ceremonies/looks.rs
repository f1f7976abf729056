//! Limits of pages' concurrent reads of their links.

use std::time::Duration;

use tokio::sync::Semaphore;

use crate::error::CeremonyError;

/// Reads of links in progress at the same time. Each takes memory until the store
/// has answered, and thousands of pages may begin at the same moment.
const LOOKS_AT_ONCE: u32 = 64;
/// Longest wait of a page for a permit: longer than the wait for an unavailable
/// store.
const LOOK_PATIENCE: Duration = Duration::from_secs(15);

/// Permits for reads of links.
#[derive(Debug)]
pub(super) struct Looks(Semaphore);

impl Default for Looks {
    fn default() -> Self {
        Self(Semaphore::new(LOOKS_AT_ONCE as usize))
    }
}

impl Looks {
    /// Reads a link once this page has a permit.
    ///
    /// # Errors
    ///
    /// [`CeremonyError::NoTurnToLook`] if the reads before it took too long.
    pub(super) async fn in_turn<T>(
        &self,
        look: impl Future<Output = Result<T, CeremonyError>>,
    ) -> Result<T, CeremonyError> {
        let turn = tokio::time::timeout(LOOK_PATIENCE, self.0.acquire()).await;
        let _turn = turn.map_err(|_| CeremonyError::NoTurnToLook)?;
        look.await
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use http::StatusCode;

    use super::*;
    use crate::api::problem;

    #[tokio::test(start_paused = true)]
    async fn a_page_whose_turn_does_not_come_is_answered_503_and_when_to_come_again() {
        let looks = Looks::default();
        let others = looks.0.acquire_many(LOOKS_AT_ONCE).await.unwrap();

        let refused = looks.in_turn(ready(Ok(()))).await.unwrap_err();

        let problem = problem(&refused);
        assert_eq!(problem.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(problem.retry_after().is_some());
        drop(others);
        looks.in_turn(ready(Ok(()))).await.unwrap();
    }
}
