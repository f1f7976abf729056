//! Commit numbers, unique across hosts.

use super::error::DatabaseError;
use super::session::Session;

/// Numbers taken at once.
const BLOCK: i64 = 1024;

/// A block of numbers taken over one connection. Over the next connection, perhaps to another
/// server after a failover, they may be given again. The remainder is never used after the process
/// ends.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: i64,
    left: i64,
}

impl Numbers {
    pub(super) async fn next(&mut self, session: &Session) -> Result<i64, DatabaseError> {
        if self.left == 0 {
            // Not a sequence: a sequence may repeat numbers after a failover.
            let rows = session
                .query_or_cancel(
                    "UPDATE parafa_numbers SET last = last + $1 WHERE id = 1 RETURNING last",
                    &[&BLOCK],
                )
                .await?;
            let row = rows.first().ok_or(DatabaseError::Damaged {
                what: "the number of the last commit",
            })?;
            self.last = row.try_get::<_, i64>(0)? - BLOCK;
            self.left = BLOCK;
        }
        self.last += 1;
        self.left -= 1;
        Ok(self.last)
    }
}
