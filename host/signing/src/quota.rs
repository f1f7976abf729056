//! Quota for requests' documents, see [`parafa_ceremony::quota`].

use std::sync::Arc;

use parafa_api_signing::requests::{DocumentBytes, NewDocument};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::Room;
use parafa_ceremony::records::CeremonyRow;
use parafa_platform::accounts::Caller;
use parafa_store::{Store, StoreError, TableDeclaration};

use super::intake::Intake;
use crate::error::SigningError;
use crate::records::FileRow;

impl Intake {
    /// Reserves quota for separate documents to be signed, with their posted
    /// lengths, before anything is written.
    pub(crate) async fn room_for(
        &self,
        caller: &Caller,
        documents: &[NewDocument],
        signings: u64,
    ) -> Result<Arc<Room>, SigningError> {
        let mut bytes: u64 = 0;
        for document in documents {
            bytes = bytes.saturating_add(self.bytes_of(caller, &document.bytes).await?);
        }
        Ok(self.uploads.room(caller, bytes, signings).await?)
    }

    /// Returns the length of a document. A missing stored file is refused later,
    /// with its pointer in the request.
    async fn bytes_of(&self, caller: &Caller, bytes: &DocumentBytes) -> Result<u64, SigningError> {
        match bytes {
            DocumentBytes::Content(content) => Ok(content.len() as u64),
            DocumentBytes::FileToken(token) => match self.file_of(caller, token.0).await {
                Ok(file) => Ok(file.bytes),
                Err(SigningError::Ceremony(CeremonyError::NotFound)) => Ok(0),
                Err(error) => Err(error),
            },
        }
    }
}

/// Adds up the stored bytes, before anything else is done with the store.
pub async fn add_up(store: &Store) -> Result<(), StoreError> {
    let tables = [
        TableDeclaration::of::<CeremonyRow>(),
        TableDeclaration::of::<FileRow>(),
    ];
    store.add_up(&tables).await
}
