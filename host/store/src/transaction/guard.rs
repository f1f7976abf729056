//! Reads that can be relied upon for what is not there.

use crate::table::{Table, layout};

/// A row that stands for a set of rows, so that a scan of the set can be relied upon.
///
/// The engine compares the versions of rows that were read. It cannot know of a row that a scan
/// did not see because it was not there yet. So whoever scans a set and decides on what is *not*
/// in it names a guard, and whoever adds to the set calls [`Transaction::touch`] on the same
/// guard. Without such a decision, [`Guard::none`] will do.
#[derive(Clone, Debug)]
pub struct Guard(pub(super) Option<Vec<u8>>);

impl Guard {
    /// No guard: rows that appear during the transaction may be missed.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The row of table `T` with this key, be it there or not.
    #[must_use]
    pub fn row<T: Table>(key: &T::Key) -> Self {
        let mut guard = vec![b'g'];
        guard.extend(layout::row::<T>(key));
        Self(Some(guard))
    }
}
