//! The hold on shared records that keeps hosts from sending.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::engine::Commit;
use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Table, TableName, encode, layout};

/// Row that is present while no host may send from the records.
#[derive(Debug, Deserialize, Serialize)]
struct HeldRow {}

impl Table for HeldRow {
    type Key = ();
    const NAME: TableName = TableName::reserved("_held");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

/// Adds the hold of a shared engine's records to a commit, or removes it. While held, nothing
/// is sent from the records until [`Store::release_held`].
///
/// # Errors
/// None known: a row is encoded.
pub fn hold_records(commit: &mut Commit, is_held: bool) -> Result<(), StoreError> {
    let key = layout::row::<HeldRow>(&()).into();
    match is_held {
        true => commit.puts.push((key, encode(&HeldRow {})?.into())),
        false => commit.deletes.push(key),
    }
    Ok(())
}

impl Store {
    /// Returns whether these records are held because they are a copy of others.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn is_held(&self) -> Result<bool, StoreError> {
        Ok(self.get::<HeldRow>(&()).await?.is_some())
    }

    /// Releases the hold so that every host sends again; returns whether there was one.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn release_held(&self) -> Result<bool, StoreError> {
        self.transact(|tx| Box::pin(async move { tx.delete::<HeldRow>(&()).await }))
            .await
    }
}
