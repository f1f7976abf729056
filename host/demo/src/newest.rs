//! Storage of the world's sinks: the newest items, within a number and a size, so that a
//! long-running world does not grow.

use std::collections::VecDeque;

/// Maximum number of items of one sink.
const MOST: usize = 10_000;
/// Most bytes of it.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Items, oldest first.
pub(crate) struct Newest<T> {
    kept: VecDeque<(usize, T)>,
    bytes: usize,
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self {
            kept: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<T> Newest<T> {
    /// Adds an item of this size in bytes, and drops the oldest ones beyond the limits; the newest
    /// one stays, whatever its size.
    pub(crate) fn push(&mut self, bytes: usize, item: T) {
        self.bytes += bytes;
        self.kept.push_back((bytes, item));
        while self.kept.len() > 1 && (self.kept.len() > MOST || self.bytes > MOST_BYTES) {
            let oldest = self.kept.pop_front();
            self.bytes -= oldest.map_or(0, |(bytes, _)| bytes);
        }
    }

    /// All items, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(_, item)| item)
    }

    /// Number of items.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_once_there_are_too_many() {
        let mut newest = Newest::default();
        for number in 0..=MOST {
            newest.push(1, number);
        }

        assert_eq!(newest.len(), MOST);
        assert_eq!(newest.iter().next(), Some(&1));
    }

    #[test]
    fn the_oldest_are_forgotten_once_they_are_too_large_together() {
        let mut newest = Newest::default();
        for number in 0..3 {
            newest.push(MOST_BYTES / 2, number);
        }
        assert_eq!(newest.iter().collect::<Vec<_>>(), [&1, &2]);

        newest.push(2 * MOST_BYTES, 3);
        assert_eq!(newest.iter().collect::<Vec<_>>(), [&3]);
        newest.push(1, 4);
        assert_eq!(newest.iter().collect::<Vec<_>>(), [&4]);
    }
}
