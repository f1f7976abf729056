//! Rows of the table of all entries.

use ::bytes::Bytes;
use tokio_postgres::Row;

use super::error::DatabaseError;
use crate::engine::{Entry, Version, Versioned};

pub(super) fn entry(row: &Row) -> Result<Entry, DatabaseError> {
    let key: &[u8] = row.try_get(0)?;
    Ok(Entry {
        key: Bytes::copy_from_slice(key),
        stored: versioned(row, 1)?,
    })
}

/// Returns the version in a column, with the value in the next one.
pub(super) fn versioned(row: &Row, column: usize) -> Result<Versioned, DatabaseError> {
    let value: &[u8] = row.try_get(column + 1)?;
    Ok(Versioned {
        version: version(row.try_get(column)?)?,
        value: Bytes::copy_from_slice(value),
    })
}

pub(super) fn version(number: i64) -> Result<Version, DatabaseError> {
    let version = u64::try_from(number).ok().and_then(Version::new);
    version.ok_or(DatabaseError::Damaged {
        what: "an entry without the number of a commit",
    })
}
