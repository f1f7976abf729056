//! Ranges of engine keys.

use crate::engine::{Direction, Scan};
use crate::key::{Key, past_prefix};
use crate::table::Page;

impl Scan {
    pub(super) fn move_past(&mut self, key: &[u8]) {
        match self.direction {
            Direction::Ascending => {
                self.start = key.to_vec();
                self.start.push(0);
            }
            Direction::Descending => self.end = key.to_vec(),
        }
    }
}

/// A range of engine keys.
pub(super) struct Span {
    prefix: Vec<u8>,
    start: Vec<u8>,
    end: Vec<u8>,
}

impl Span {
    pub(super) fn of_prefix(prefix: Vec<u8>) -> Self {
        Self {
            start: prefix.clone(),
            end: past_prefix(&prefix),
            prefix,
        }
    }

    pub(super) fn between(prefix: Vec<u8>, from: &impl Key, to: &impl Key) -> Self {
        let mut start = prefix.clone();
        from.encode(&mut start);
        let mut last = prefix.clone();
        to.encode(&mut last);
        Self {
            start,
            end: past_prefix(&last),
            prefix,
        }
    }

    pub(super) fn scan(self, direction: Direction, limit: usize) -> Scan {
        Scan {
            start: self.start,
            end: self.end,
            direction,
            limit,
        }
    }

    pub(super) fn scan_page<K: Key>(self, page: &Page<K>) -> Scan {
        let cursor = page.after.as_ref().map(|after| {
            let mut cursor = self.prefix.clone();
            after.encode(&mut cursor);
            cursor
        });
        let mut scan = self.scan(page.direction, page.limit);
        if let Some(cursor) = cursor {
            scan.move_past(&cursor);
        }
        scan
    }
}
