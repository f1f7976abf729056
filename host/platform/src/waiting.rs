//! Long-polling calls that wait for a change of a link or a request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uuid::Uuid;

/// Most calls waiting on one link at the same time: several open pages, and
/// some closed ones not known to be gone.
const MOST_ON_LINK: usize = 8;
/// Polls of all waiting calls together, per second. With few signings each call
/// polls once a second.
const LOOKS_PER_SECOND: u32 = 200;
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Counts of waiting calls. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: u32,
    links: HashMap<Uuid, usize>,
}

/// A waiting call, until dropped.
#[derive(Debug)]
pub struct Waiter {
    waiting: Waiting,
    link: Uuid,
}

impl Waiting {
    /// Admits a call to wait on a link; `None` where too many wait.
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

    /// Returns the interval at which a waiting call checks for changes by other
    /// hosts or by time: longer, the more wait.
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
