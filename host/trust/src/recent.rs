//! What was asked for lately.

use std::collections::VecDeque;
use std::mem;

/// How many values are remembered of those that were asked for in one period: of the
/// people who sign at one time, and of the authorities that are asked meanwhile.
const MOST: usize = 256;

/// Values that are remembered for the period in which they were asked for, and for the
/// next. Whoever owns them says when one ends.
pub(crate) struct Recent<T> {
    /// Of this period, the newest first.
    current: VecDeque<T>,
    /// Of the last one.
    last: VecDeque<T>,
}

impl<T> Recent<T> {
    pub(crate) const fn new() -> Self {
        Self {
            current: VecDeque::new(),
            last: VecDeque::new(),
        }
    }

    /// The value that this is so of.
    pub(crate) fn find(&mut self, is: impl Fn(&T) -> bool) -> Option<&T> {
        if let Some(place) = self.last.iter().position(&is) {
            let value = self.last.remove(place)?;
            self.insert(value);
        }
        self.current.iter().find(|value| is(value))
    }

    /// Remembers a value, in place of the oldest of the period where there are too
    /// many.
    pub(crate) fn insert(&mut self, value: T) {
        self.current.truncate(MOST - 1);
        self.current.push_front(value);
    }

    /// Forgets the values that this is so of.
    pub(crate) fn remove(&mut self, is: impl Fn(&T) -> bool) {
        self.current.retain(|value| !is(value));
        self.last.retain(|value| !is(value));
    }

    /// Ends a period.
    pub(crate) fn end_period(&mut self) {
        self.last = mem::take(&mut self.current);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(recent: &mut Recent<usize>, number: usize) -> bool {
        recent.find(|known| *known == number).is_some()
    }

    #[test]
    fn a_value_stays_as_long_as_it_is_asked_for_in_each_period() {
        let mut recent = Recent::new();
        recent.insert(1);
        recent.insert(2);

        for _ in 0..3 {
            recent.end_period();
            assert!(knows(&mut recent, 1));
        }

        assert!(!knows(&mut recent, 2));
        recent.end_period();
        recent.end_period();
        assert!(!knows(&mut recent, 1));
    }

    #[test]
    fn the_oldest_goes_first_and_what_is_removed_at_once() {
        let mut recent = Recent::new();
        (0..=MOST).for_each(|number| recent.insert(number));
        recent.end_period();
        recent.insert(MOST + 1);

        recent.remove(|known| *known >= MOST);

        for (number, is_known) in [(0, false), (1, true), (MOST, false), (MOST + 1, false)] {
            assert_eq!(knows(&mut recent, number), is_known, "{number}");
        }
    }
}
