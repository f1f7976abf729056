//! What rows keep back of what their owner may use.
//!
//! A table says of each row what it earmarks. An entry follows the row in the commit that puts or
//! deletes it, as index entries do, but under the row's owner: what the rows of all tables earmark
//! of one owner is read in one scan, within the transaction that decides by it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::content::Content;
use crate::error::StoreError;
use crate::key::Key;
use crate::table::{Table, TableName, encode, layout};

/// How much is earmarked of each of two things; what they are the tables agree upon.
pub type EarmarkAmounts = [u64; 2];

/// What a row earmarks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Earmark {
    /// Of whose.
    pub owner: Uuid,
    /// How much.
    pub amounts: EarmarkAmounts,
}

/// What a row earmarks, under its owner.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct EarmarkRow {
    owner: Uuid,
    table: String,
    /// The row's key, in lower-case hexadecimal digits.
    row: String,
    pub(crate) amounts: EarmarkAmounts,
}

impl Table for EarmarkRow {
    type Key = (Uuid, String, String);
    const NAME: TableName = TableName::reserved("_earmark");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {
        (self.owner, self.table.clone(), self.row.clone())
    }
}

/// Engine key and value of an entry.
type Entry = (Vec<u8>, Vec<u8>);

/// The entry that follows a row, if it earmarks anything.
pub(crate) fn entry<T: Table>(row: &T) -> Result<Option<Entry>, StoreError> {
    let Some(Earmark { owner, amounts }) = row.earmark() else {
        return Ok(None);
    };
    let entry = EarmarkRow {
        owner,
        table: T::NAME.as_str().to_owned(),
        row: hex::encode(row.key().encoded()),
        amounts,
    };
    let key = layout::row::<EarmarkRow>(&entry.key());
    Ok(Some((key, encode(&entry)?)))
}

/// What the keys of an owner's entries begin with.
pub(crate) fn entries_of(owner: &Uuid) -> Vec<u8> {
    let mut start = layout::table::<EarmarkRow>();
    owner.encode(&mut start);
    start
}
