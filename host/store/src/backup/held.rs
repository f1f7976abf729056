//! Whether anything is sent from records that several hosts work with.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::engine::Commit;
use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Table, TableName, encode, layout};

/// Stands among records from which nothing is to be sent, by whichever host.
#[derive(Debug, Deserialize, Serialize)]
struct HeldRow {}

impl Table for HeldRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_held");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

/// Adds to a commit that nothing is to be sent from the records of an engine which hosts share,
/// until [`Store::release_held`]; or that all is.
///
/// # Errors
/// None that is known: a row is encoded.
pub fn hold_records(commit: &mut Commit, is_held: bool) -> Result<(), StoreError> {
    let key = layout::row::<HeldRow>(&()).into();
    match is_held {
        true => commit.puts.push((key, encode(&HeldRow {})?.into())),
        false => commit.deletes.push(key),
    }
    Ok(())
}

impl Store {
    /// Whether nothing is to be sent from these records, because they are a copy of others.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn is_held(&self) -> Result<bool, StoreError> {
        Ok(self.get::<HeldRow>(&()).await?.is_some())
    }

    /// Lets every host send what these records have to send; tells whether they were held.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn release_held(&self) -> Result<bool, StoreError> {
        self.transact(|tx| Box::pin(async move { tx.delete::<HeldRow>(&()).await }))
            .await
    }
}
