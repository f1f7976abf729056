//! Budget of memory and nesting for scanning a file.

use super::scan_error::ScanError;
use crate::limits::Limits;

/// Bytes that `lopdf` uses for an array item on a 32-bit target.
const ITEM: usize = 72;

/// Like `ITEM`, for a dictionary entry: hash, index slot, key and value,
/// without the characters of the key.
const ENTRY: usize = 96;

/// Bytes for an object with its identifier and cross-reference entry.
const OBJECT: usize = 160;

/// Bytes for the characters of a short name or string. Long ones are bounded by
/// the file size, except in object streams.
const TEXT: usize = 24;

/// Initial capacity of an array.
const FIRST_ITEMS: usize = 4;

/// Initial capacity of a dictionary.
const FIRST_ENTRIES: usize = 3;

/// Memory used by scanned values, and the highest object number they refer to.
///
/// Memory is counted as for the loaded values. Arrays and dictionaries grow in
/// steps; for many short ones, unused capacity is most of it.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    nesting: usize,
    memory: usize,
    highest_reference: u32,
    /// The characters of long names and strings count.
    is_in_object_stream: bool,
}

impl Budget {
    /// Creates a full budget.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            nesting: limits.nesting,
            memory: limits.loaded_bytes,
            highest_reference: 0,
            is_in_object_stream: false,
        }
    }

    /// Returns the highest referenced object number.
    pub(crate) fn highest_reference(&self) -> u32 {
        self.highest_reference
    }

    /// Records a reference.
    pub(super) fn mention(&mut self, number: u32) {
        self.highest_reference = self.highest_reference.max(number);
    }

    /// Refuses nesting beyond the limit.
    pub(super) fn check_nesting(&self, levels: usize, position: usize) -> Result<(), ScanError> {
        if levels > self.nesting {
            return Err(ScanError::Nesting(position));
        }
        Ok(())
    }

    /// Charges a top-level value.
    pub(super) fn take_object(&mut self, position: usize) -> Result<(), ScanError> {
        self.take(OBJECT, position)
    }

    /// Charges a new array.
    pub(super) fn take_array(&mut self, position: usize) -> Result<(), ScanError> {
        self.take(FIRST_ITEMS * ITEM, position)
    }

    /// Charges one more item of an array with `items` items.
    pub(super) fn take_item(&mut self, items: usize, position: usize) -> Result<(), ScanError> {
        let is_full = items >= FIRST_ITEMS && items.is_power_of_two();
        self.grow(if is_full { items * ITEM } else { 0 }, position)
    }

    /// Charges one more entry of a dictionary with `entries` entries and a key
    /// of `key` characters.
    pub(super) fn take_entry(
        &mut self,
        entries: usize,
        key: usize,
        position: usize,
    ) -> Result<(), ScanError> {
        let room = match entries {
            0 => FIRST_ENTRIES,
            FIRST_ENTRIES => FIRST_ENTRIES + 1,
            full if full % 7 == 0 && (full / 7).is_power_of_two() => full,
            _ => 0,
        };
        self.grow(room * ENTRY, position)?;
        self.take_text(key, position)
    }

    /// Charges `len` characters of a name or string. Long ones grow in steps.
    pub(super) fn take_text(&mut self, len: usize, position: usize) -> Result<(), ScanError> {
        let is_long = self.is_in_object_stream && len > TEXT;
        self.take(
            if is_long {
                len.next_power_of_two()
            } else {
                TEXT
            },
            position,
        )
    }

    /// Scans the members of an object stream with `work`. Charges its decoded
    /// content of this length, which is kept; names and strings are copies from
    /// it.
    pub(super) fn in_object_stream<T, E: From<ScanError>>(
        &mut self,
        content: usize,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.take(content, 0)?;
        self.is_in_object_stream = true;
        let done = work(self);
        self.is_in_object_stream = false;
        done
    }

    /// Scans a value with `work` and returns the memory charged.
    pub(super) fn measure<T, E>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(T, usize), E> {
        let before = self.memory;
        let done = work(self)?;
        Ok((done, before - self.memory))
    }

    /// Charges a value again that is scanned again.
    pub(super) fn take_again(&mut self, taken: usize) -> Result<(), ScanError> {
        self.take(taken, 0)
    }

    /// Charges the doubling of a long container. The old allocation exists
    /// until it is copied into the new one.
    fn grow(&mut self, bytes: usize, position: usize) -> Result<(), ScanError> {
        if bytes.saturating_mul(2) > self.memory {
            return Err(ScanError::Values(position));
        }
        self.take(bytes, position)
    }

    fn take(&mut self, bytes: usize, position: usize) -> Result<(), ScanError> {
        let left = self.memory.checked_sub(bytes);
        self.memory = left.ok_or(ScanError::Values(position))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::scan::Scanner;

    /// Returns the charge for a value.
    fn taken(value: &str) -> usize {
        let limits = Limits::default();
        let mut budget = Budget::new(&limits);
        Scanner::new(value.as_bytes(), 0)
            .value(&mut budget)
            .unwrap();
        limits.loaded_bytes - budget.memory
    }

    #[test]
    fn a_value_counts_with_the_room_that_is_made_for_it() {
        assert_eq!(taken("5"), OBJECT);
        assert_eq!(taken("/Name"), OBJECT + TEXT);
        assert_eq!(taken("[]"), taken("[1 2 0 R null 4]"));
        assert_eq!(taken("[1 2 3 4 5]"), OBJECT + 8 * ITEM);
        assert_eq!(
            taken(&format!("[{}]", "0 ".repeat(1000))),
            OBJECT + 1024 * ITEM
        );
        assert_eq!(taken("<<>>"), OBJECT);
        assert_eq!(taken("<</A 1>>"), OBJECT + 3 * ENTRY + TEXT);
        assert_eq!(taken("<</A 1/B 2/C 3/D 4>>"), OBJECT + 7 * ENTRY + 4 * TEXT);
        let entries: String = (0..100).map(|key| format!("/K{key} 0")).collect();
        assert_eq!(
            taken(&format!("<<{entries}>>")),
            OBJECT + 112 * ENTRY + 100 * TEXT
        );
    }

    #[test]
    fn long_texts_count_in_object_streams_with_what_they_are_copies_of() {
        let limits = Limits::default();
        let value = format!("[({}) /{} (short)]", "s".repeat(1000), "n".repeat(2000));
        let mut budget = Budget::new(&limits);
        budget
            .in_object_stream(value.len(), |budget| {
                Scanner::new(value.as_bytes(), 0).value(budget)
            })
            .unwrap();

        assert_eq!(taken(&value), OBJECT + 4 * ITEM + 3 * TEXT);
        assert_eq!(
            limits.loaded_bytes - budget.memory,
            value.len() + OBJECT + 4 * ITEM + 1024 + 2048 + TEXT
        );
    }

    #[test]
    fn values_beyond_the_limit_are_refused() {
        let limits = Limits {
            loaded_bytes: 1000 * ITEM,
            ..Limits::default()
        };
        let scan = |items: usize| {
            let value = format!("[{}]", "0 ".repeat(items));
            Scanner::new(value.as_bytes(), 0)
                .value(&mut Budget::new(&limits))
                .map(drop)
        };

        assert_eq!(scan(500), Ok(()));
        assert!(matches!(scan(2000), Err(ScanError::Values(_))));
    }

    #[test]
    fn an_array_that_could_not_be_moved_to_where_there_is_room_is_refused() {
        let array = |items: usize| {
            let value = format!("[{}]", "0 ".repeat(items));
            Scanner::new(value.as_bytes(), 0)
                .value(&mut Budget::new(&Limits::default()))
                .map(drop)
        };

        assert_eq!(array(1 << 20), Ok(()));
        // Below the limit, but above it with the old half that is copied.
        assert!((2 << 20) * ITEM < Limits::default().loaded_bytes);
        assert!(matches!(array((1 << 20) + 1), Err(ScanError::Values(_))));
    }
}
