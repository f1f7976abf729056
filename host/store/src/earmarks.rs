//! Earmarks: amounts that rows reserve from their owner's allowance.
//!
//! A table says what each of its rows earmarks. An entry follows the row in the commit that puts
//! or deletes it, as index entries do, but under the row's owner. One scan, within the deciding
//! transaction, therefore reads what the rows of all tables earmark of one owner.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::content::Content;
use crate::error::StoreError;
use crate::key::Key;
use crate::table::{Table, TableName, encode, layout};

/// Earmarked amounts of two things, on whose meaning the tables agree.
pub type EarmarkAmounts = [u64; 2];

/// Earmark of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Earmark {
    /// The owner.
    pub owner: Uuid,
    /// The amounts.
    pub amounts: EarmarkAmounts,
}

/// Stored earmark of a row, under its owner.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct EarmarkRow {
    owner: Uuid,
    table: String,
    /// The row's key, in lower-case hexadecimal.
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

/// Returns the entry that follows a row, if the row earmarks anything.
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

/// Returns the key prefix of an owner's entries.
pub(crate) fn entries_of(owner: &Uuid) -> Vec<u8> {
    let mut start = layout::table::<EarmarkRow>();
    owner.encode(&mut start);
    start
}
