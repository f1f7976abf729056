//! Guards: reads that detect the addition of rows.

use crate::table::{Table, layout};

/// A row that represents a set of rows, so that a scan of the set is reliable.
///
/// The engine compares the versions of rows that were read. It cannot know of a row that a scan
/// did not see because it did not exist yet. A transaction that decides on what is *not* in a
/// set therefore names a guard. One that adds to the set calls [`Transaction::touch`] on the
/// same guard. Without such a decision, [`Guard::none`] is sufficient.
#[derive(Clone, Debug)]
pub struct Guard(pub(super) Option<Vec<u8>>);

impl Guard {
    /// Returns no guard: rows that appear during the transaction may be missed.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns the guard for the row of table `T` with this key, whether or not it exists.
    #[must_use]
    pub fn row<T: Table>(key: &T::Key) -> Self {
        let mut guard = vec![b'g'];
        guard.extend(layout::row::<T>(key));
        Self(Some(guard))
    }
}
