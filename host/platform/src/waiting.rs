//! Calls that wait for something to happen on a link or a request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uuid::Uuid;

/// Calls that may wait on one link at the same time: a few pages that are open
/// in several places, and some that were left and are not known to be gone.
const MOST_ON_LINK: usize = 8;
/// How often all that wait look for themselves, together, in a second. Those of
/// a few signings do so once a second each.
const LOOKS_PER_SECOND: u32 = 200;
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Who waits. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: u32,
    links: HashMap<Uuid, usize>,
}

/// A call that waits, until it is dropped.
#[derive(Debug)]
pub struct Waiter {
    waiting: Waiting,
    link: Uuid,
}

impl Waiting {
    /// Lets one more call wait on a link; none where too many do.
    pub fn enter(&self, link: Uuid) -> Option<Waiter> {
        let mut counts = self.counts();
        let on_link = counts.links.entry(link).or_default();
        if *on_link >= MOST_ON_LINK {
            return None;
        }
        *on_link += 1;
        counts.all += 1;
        Some(Waiter {
            waiting: self.clone(),
            link,
        })
    }

    /// After how long somebody who waits looks whether something was changed by
    /// another host, or by time alone: the later, the more wait.
    pub fn pause(&self) -> Duration {
        let all = self.counts().all;
        LEAST_PAUSE.max(Duration::from_secs(1) * all / LOOKS_PER_SECOND)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut counts = self.waiting.counts();
        counts.all -= 1;
        if let Entry::Occupied(mut on_link) = counts.links.entry(self.link) {
            *on_link.get_mut() -= 1;
            if *on_link.get() == 0 {
                on_link.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_calls_wait_on_one_link_and_no_more() {
        let waiting = Waiting::default();
        let (link, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut waiters: Vec<_> = (0..MOST_ON_LINK).map(|_| waiting.enter(link)).collect();
        assert!(waiters.iter().all(Option::is_some));

        assert!(waiting.enter(link).is_none());
        assert!(waiting.enter(other).is_some());

        waiters.pop();
        assert!(waiting.enter(link).is_some());
        waiters.clear();
        assert!(waiting.counts().links.is_empty());
    }

    #[test]
    fn many_look_less_often() {
        let waiting = Waiting::default();
        let waiters = |count: u128| -> Vec<_> {
            let links = (0..count).map(Uuid::from_u128);
            links.map(|link| waiting.enter(link)).collect()
        };

        let few = waiters(200);
        assert_eq!(waiting.pause(), Duration::from_secs(1));
        drop(few);
        let _many = waiters(1000);
        assert_eq!(waiting.pause(), Duration::from_secs(5));
    }
}
