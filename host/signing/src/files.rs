//! Files stored once for reuse. Signings copy their bytes.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use parafa_api_signing::requests::NewFile;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::Room;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::sealing;
use parafa_platform::accounts::Caller;
use parafa_platform::jobs::TIMERS;
use parafa_store::Transaction;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::api::views;
use super::intake::Intake;
use crate::error::SigningError;
pub use crate::records::UnsealedFile;
use crate::records::{FilePrivate, FileRow};

/// Kind of the job that deletes a file, at its expiry or on request.
pub const DROP_FILE: &str = "drop-file";

#[derive(Deserialize, Serialize)]
struct Payload {
    file: Uuid,
    data_key: Uuid,
}

impl Intake {
    /// Stores a document for reuse.
    pub async fn store_file(
        &self,
        caller: &Caller,
        file: NewFile,
    ) -> Result<UnsealedFile, SigningError> {
        let room = self
            .uploads
            .room(caller, file.content.len() as u64, 0)
            .await?;
        let report = self.examine_file(caller, &file).await?;
        let data_key = self.records.store.new_id().await?;
        let key = self.records.keys.create(data_key).await?;
        let id = self.records.store.new_id().await?;
        let written = match self.records.files.write(&key, id, file.content).await {
            Ok(written) => written,
            Err(error) => {
                self.records.discard_key(data_key).await;
                return Err(error.into());
            }
        };
        let now = self.records.store.now().await?;
        let private = FilePrivate { name: file.name };
        let row = FileRow {
            id,
            tenant: caller.tenant,
            mode: caller.mode,
            data_key,
            sha256: written.sha256.to_string(),
            bytes: written.bytes,
            media_type: report.media_type,
            created_at: now,
            expires_at: shifted(now, self.keep_files),
            used_count: 0,
            private: sealing::seal(&key, id, &private)?,
        };
        let opened = UnsealedFile { row, private };
        if let Err(error) = self.insert_file(caller, &opened, room).await {
            if error.proves_nothing_stored() {
                self.discard_file(&opened.row).await;
            }
            return Err(error);
        }
        tracing::info!(file.id = %id, tenant.id = %caller.tenant, file.bytes = opened.row.bytes, "file stored");
        Ok(opened)
    }

    /// Returns a stored file, if it is this caller's and has not expired.
    pub async fn file_of(&self, caller: &Caller, token: Uuid) -> Result<FileRow, SigningError> {
        let row = self.records.store.get::<FileRow>(&token).await?;
        let now = self.records.store.now().await?;
        row.filter(|row| is_visible(row, caller, now))
            .ok_or(CeremonyError::NotFound.into())
    }

    /// Like [`file_of`](Self::file_of), with its name.
    pub async fn read_file(
        &self,
        caller: &Caller,
        token: Uuid,
    ) -> Result<UnsealedFile, SigningError> {
        let row = self.file_of(caller, token).await?;
        let key = match self.records.data_key(row.data_key).await {
            Err(error) if error.is_missing() => {
                return Err(self.dropped_or(&row, error.into()).await?);
            }
            key => key?,
        };
        let private = sealing::open(&key, row.id, &row.private)?;
        Ok(UnsealedFile { row, private })
    }

    /// Returns the bytes of a stored file.
    pub(super) async fn file_content(
        &self,
        caller: &Caller,
        token: Uuid,
    ) -> Result<Bytes, SigningError> {
        let row = self.file_of(caller, token).await?;
        let read = async {
            let key = self.records.data_key(row.data_key).await?;
            Ok::<_, SigningError>(self.records.files.read(&key, row.id).await?)
        };
        match read.await {
            Err(error) if error.is_missing() => Err(self.dropped_or(&row, error).await?),
            read => read,
        }
    }

    /// Maps to "not found" if the file was deleted since `row` was read; else
    /// returns the failure itself.
    async fn dropped_or(
        &self,
        row: &FileRow,
        failure: SigningError,
    ) -> Result<SigningError, SigningError> {
        Ok(match self.records.store.get::<FileRow>(&row.id).await? {
            Some(_) => failure,
            None => CeremonyError::NotFound.into(),
        })
    }

    /// Deletes a stored file; returns its row.
    pub async fn delete_file(
        &self,
        caller: &Caller,
        token: Uuid,
    ) -> Result<UnsealedFile, SigningError> {
        let opened = self.read_file(caller, token).await?;
        let row = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let row = tx.get::<FileRow>(&token).await?;
                    let row = row.filter(|row| is_visible(row, caller, now));
                    let row = row.ok_or(CeremonyError::NotFound)?;
                    tx.delete::<FileRow>(&token).await?;
                    jobs::cancel(tx, TIMERS, &jobs::unique_key(DROP_FILE, token)).await?;
                    schedule_drop(tx, &row, now).await?;
                    Ok::<_, SigningError>(row)
                })
            })
            .await?;
        self.remove_file(row.id, row.data_key).await?;
        self.idempotency.remove_answers(token).await?;
        tracing::info!(file.id = %token, "file deleted");
        Ok(UnsealedFile { row, ..opened })
    }

    /// Deletes an expired file, or the rest of a deleted one.
    pub async fn drop_file(&self, job: &ClaimedJob) -> Result<(), SigningError> {
        let Payload { file, data_key } = job.payload()?;
        // Nothing is deleted while its key could not be erased.
        self.records.keys.check().await?;
        // The row is deleted first, so that no row lacks its bytes.
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    tx.delete::<FileRow>(&file).await?;
                    Ok::<_, SigningError>(())
                })
            })
            .await?;
        self.remove_file(file, data_key).await?;
        self.idempotency.remove_answers(file).await?;
        Ok(self.records.complete(job).await?)
    }

    async fn insert_file(
        &self,
        caller: &Caller,
        opened: &UnsealedFile,
        room: Arc<Room>,
    ) -> Result<(), SigningError> {
        let (row, room) = (&opened.row, &room);
        let answer = || views::file(opened);
        self.idempotency
            .commit(caller.claim, &[row.id], answer, |tx| {
                Box::pin(async move {
                    tx.hold(room.clone());
                    tx.insert(row).await?;
                    schedule_drop(tx, row, row.expires_at).await
                })
            })
            .await
    }

    async fn remove_file(&self, file: Uuid, data_key: Uuid) -> Result<(), SigningError> {
        self.records.keys.erase(data_key).await?;
        self.records.files.unlink(file).await?;
        Ok(())
    }

    async fn discard_file(&self, row: &FileRow) {
        self.records.discard_key(row.data_key).await;
        self.records.discard_bytes(row.id).await;
    }
}

/// Counts a signing that copied a file's bytes.
pub(super) async fn count_use(
    tx: &mut Transaction<'_>,
    signing: &CeremonyRow,
    token: Uuid,
) -> Result<(), SigningError> {
    // A file deleted meanwhile still existed when it was copied.
    if let Some(mut file) = tx.get::<FileRow>(&token).await?
        && file.tenant == signing.tenant
    {
        file.used_count += 1;
        tx.put(&file).await?;
    }
    Ok(())
}

fn is_visible(row: &FileRow, caller: &Caller, now: Timestamp) -> bool {
    row.tenant == caller.tenant && row.mode == caller.mode && now < row.expires_at
}

async fn schedule_drop(
    tx: &mut Transaction<'_>,
    row: &FileRow,
    due: Timestamp,
) -> Result<(), SigningError> {
    let payload = serde_json::json!({ "file": row.id, "data_key": row.data_key });
    Ok(jobs::schedule(tx, (TIMERS, DROP_FILE), row.id, due, payload).await?)
}
