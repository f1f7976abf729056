//! Limits of concurrent downloads.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::metrics::{download_began, download_ended};

/// Downloads of one link. A browser requests twice: to show the document, and
/// to save it.
const OF_ONE_LINK: usize = 4;
/// Downloads of one key.
const OF_ONE_KEY: usize = 32;
/// Divisor of the limit for one workspace, with all its keys and links.
const WORKSPACES: usize = 4;
/// Longest wait for a permit.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Number of shares from which unused ones are dropped.
const MANY_SHARES: usize = 1024;

/// Requester of a document.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Requester {
    /// The caller with this key.
    Key(Uuid),
    /// The holder of this signer's link.
    Link(Uuid),
}

/// Permits for concurrent downloads: each download takes the memory of a piece
/// until it ends.
#[derive(Debug)]
pub struct DownloadSlots {
    all: Arc<Semaphore>,
    of_workspace: usize,
    shares: Mutex<HashMap<Share, Arc<Semaphore>>>,
}

/// Requesters counted together.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Share {
    Requester(Requester),
    Workspace(Uuid),
}

/// A permit, returned when dropped.
#[derive(Debug)]
pub(super) struct DownloadSlot {
    _permits: [OwnedSemaphorePermit; 3],
}

impl DownloadSlots {
    /// Creates this many permits.
    pub fn new(count: NonZeroU32) -> Self {
        let count = usize::try_from(count.get()).unwrap_or(Semaphore::MAX_PERMITS);
        let count = count.min(Semaphore::MAX_PERMITS);
        Self {
            all: Arc::new(Semaphore::new(count)),
            of_workspace: (count / WORKSPACES).max(1),
            shares: Mutex::default(),
        }
    }

    /// Waits for a permit, for a while. The requester's own permit is taken
    /// first, so that frequent requests do not keep others waiting.
    pub(super) async fn take(
        &self,
        requester: Requester,
        workspace: Uuid,
    ) -> Result<DownloadSlot, CeremonyError> {
        let until = Instant::now() + PATIENCE;
        let own = self.share(Share::Requester(requester));
        let own = permit(own, until).await;
        let own = own.ok_or(CeremonyError::TooManyDownloads)?;
        let workspace = permit(self.share(Share::Workspace(workspace)), until).await;
        let workspace = workspace.ok_or(CeremonyError::NoPlaceToDownload)?;
        let one = permit(self.all.clone(), until).await;
        let one = one.ok_or(CeremonyError::NoPlaceToDownload)?;
        download_began();
        Ok(DownloadSlot {
            _permits: [own, workspace, one],
        })
    }

    fn share(&self, share: Share) -> Arc<Semaphore> {
        let places = match share {
            Share::Requester(Requester::Key(_)) => OF_ONE_KEY,
            Share::Requester(Requester::Link(_)) => OF_ONE_LINK,
            Share::Workspace(_) => self.of_workspace,
        };
        // No code panics while it holds the lock.
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if shares.len() >= MANY_SHARES {
            // A share in use, or waited for, is referenced elsewhere too.
            shares.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let new = || Arc::new(Semaphore::new(places));
        shares.entry(share).or_insert_with(new).clone()
    }
}

impl Drop for DownloadSlot {
    fn drop(&mut self) {
        download_ended();
    }
}

/// Returns a permit, or `None` if there was none in time.
async fn permit(semaphore: Arc<Semaphore>, until: Instant) -> Option<OwnedSemaphorePermit> {
    // The semaphore is never closed.
    timeout_at(until, semaphore.acquire_owned())
        .await
        .ok()?
        .ok()
}

impl DownloadSlots {
    /// Returns the number of free permits.
    pub fn free(&self) -> usize {
        self.all.available_permits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: Uuid = Uuid::from_u128(1);

    fn places(count: u32) -> DownloadSlots {
        DownloadSlots::new(NonZeroU32::new(count).unwrap())
    }

    fn link(number: usize) -> Requester {
        Requester::Link(Uuid::from_u128(number as u128))
    }

    async fn take(places: &DownloadSlots, requester: Requester, count: usize) -> Vec<DownloadSlot> {
        let mut taken = Vec::new();
        for _ in 0..count {
            taken.push(places.take(requester, WORKSPACE).await.unwrap());
        }
        taken
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_has_a_few_places_and_gets_them_back() {
        let places = places(1000);
        let mut taken = take(&places, link(1), OF_ONE_LINK).await;

        let refused = places.take(link(1), WORKSPACE).await;
        assert!(matches!(refused, Err(CeremonyError::TooManyDownloads)));
        take(&places, link(2), 1).await;
        taken.pop();
        take(&places, link(1), 1).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_has_more_of_them() {
        let places = places(1000);
        let key = Requester::Key(Uuid::from_u128(1));
        let _taken = take(&places, key, OF_ONE_KEY).await;

        let refused = places.take(key, WORKSPACE).await;

        assert!(matches!(refused, Err(CeremonyError::TooManyDownloads)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_workspace_leaves_places_to_the_others() {
        let places = places(8);
        let _one = take(&places, link(1), 1).await;
        let _two = take(&places, link(2), 1).await;

        let refused = places.take(link(3), WORKSPACE).await;

        assert!(matches!(refused, Err(CeremonyError::NoPlaceToDownload)));
        let other = places.take(link(3), Uuid::from_u128(2)).await;
        assert!(other.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_not_more_places_than_were_made() {
        let places = places(2);
        let mut taken = Vec::new();
        for number in 0..2 {
            let workspace = Uuid::from_u128(number);
            taken.push(places.take(link(1), workspace).await.unwrap());
        }

        let refused = places.take(link(2), WORKSPACE).await;

        assert!(matches!(refused, Err(CeremonyError::NoPlaceToDownload)));
        assert_eq!(places.free(), 0);
        drop(taken);
        assert_eq!(places.free(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_gets_the_place_that_is_given_back() {
        let places = places(1000);
        let mut taken = take(&places, link(1), OF_ONE_LINK).await;
        let ends = async {
            tokio::time::sleep(PATIENCE / 2).await;
            taken.pop();
        };

        let (place, ()) = tokio::join!(places.take(link(1), WORKSPACE), ends);

        assert!(place.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn shares_of_which_nobody_has_a_place_are_forgotten() {
        let places = places(1000);
        let kept = take(&places, link(0), OF_ONE_LINK).await;
        for number in 1..=2 * MANY_SHARES {
            take(&places, link(number), 1).await;
        }

        assert!(places.shares.lock().unwrap().len() <= MANY_SHARES);
        let refused = places.take(link(0), WORKSPACE).await;
        assert!(matches!(refused, Err(CeremonyError::TooManyDownloads)));
        drop(kept);
    }
}
