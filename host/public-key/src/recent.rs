//! A cache of recent findings.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Cache of values that depend on their keys alone, so that one entry serves every caller. An entry
/// is kept for the period in which it was used and for the next one; the owner ends periods.
pub struct Recent<K, V> {
    periods: Mutex<Periods<K, V>>,
}

struct Periods<K, V> {
    /// Maximum number of entries of one period.
    most: usize,
    current: BTreeMap<K, V>,
    last: BTreeMap<K, V>,
}

impl<K: Ord, V: Clone> Recent<K, V> {
    /// Creates a cache of at most `most` entries used in one period; a period with more ends early.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            periods: Mutex::new(Periods {
                most,
                current: BTreeMap::new(),
                last: BTreeMap::new(),
            }),
        }
    }

    /// Returns the cached value if it `serves`; otherwise the value of `find`, which replaces it if
    /// it serves. Other callers are not blocked meanwhile.
    ///
    /// # Errors
    /// The error of `find`.
    pub fn value<E>(
        &self,
        key: K,
        serves: impl Fn(&V) -> bool,
        find: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        let known = self
            .periods()
            .get(&key)
            .filter(|value| serves(value))
            .cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = find()?;
        if serves(&found) {
            self.periods().insert(key, found.clone());
        }
        Ok(found)
    }

    /// Ends a period: forgets the values not used since the last call.
    pub fn forget_unused(&self) {
        self.periods().end();
    }

    fn periods(&self) -> MutexGuard<'_, Periods<K, V>> {
        self.periods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Ord, V> Periods<K, V> {
    fn get(&mut self, key: &K) -> Option<&V> {
        if let Some((key, value)) = self.last.remove_entry(key) {
            self.insert(key, value);
        }
        self.current.get(key)
    }

    fn insert(&mut self, key: K, value: V) {
        if self.current.len() == self.most {
            self.end();
        }
        self.last.remove(&key);
        self.current.insert(key, value);
    }

    fn end(&mut self) {
        self.last = mem::take(&mut self.current);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(recent: &Recent<usize, usize>, number: usize) -> bool {
        recent.value(number, |_| true, || Err(())).is_ok()
    }

    fn find(recent: &Recent<usize, usize>, number: usize) {
        let found = recent.value(number, |_| true, || Ok::<_, ()>(number));
        assert_eq!(found, Ok(number));
    }

    #[test]
    fn a_value_stays_as_long_as_it_is_asked_for_in_each_period() {
        let recent = Recent::new(2);
        find(&recent, 1);
        find(&recent, 2);

        for _ in 0..3 {
            recent.forget_unused();
            assert!(knows(&recent, 1));
        }

        assert!(!knows(&recent, 2));
        recent.forget_unused();
        recent.forget_unused();
        assert!(!knows(&recent, 1));
    }

    #[test]
    fn the_oldest_are_forgotten_for_the_newest() {
        const MOST: usize = 5;

        let recent = Recent::new(MOST);

        (0..=2 * MOST).for_each(|number| find(&recent, number));

        {
            let periods = recent.periods();
            assert_eq!((periods.current.len(), periods.last.len()), (1, MOST));
        }
        for (number, is_known) in [(0, false), (MOST, true), (2 * MOST, true)] {
            assert_eq!(knows(&recent, number), is_known, "{number}");
        }
    }

    #[test]
    fn what_does_not_serve_is_found_anew_and_what_serves_nobody_is_not_remembered() {
        let recent = Recent::new(2);
        let value = |least: usize, found: usize| {
            recent.value(1, |value: &usize| *value >= least, || Ok::<_, ()>(found))
        };

        assert_eq!(value(3, 2), Ok(2), "what is found is answered");
        assert_eq!(value(1, 1), Ok(1));
        assert_eq!(value(1, 5), Ok(1));
        assert_eq!(value(3, 4), Ok(4));
        recent.forget_unused();
        assert_eq!(value(1, 5), Ok(4));
    }

    #[test]
    fn others_may_ask_while_a_value_is_found() {
        let recent = Recent::new(2);

        let others_may = || Ok::<_, ()>(recent.periods.try_lock().is_ok());

        assert_eq!(recent.value(1, |_| true, others_may), Ok(true));
    }
}
