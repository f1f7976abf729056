//! Answers to requests, stored in the commit of what they create or charge.

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_http::{Created, KeptAnswer};
use parafa_store::clock::shifted;
use parafa_store::keys::DataKey;
use parafa_store::{BoxFuture, StoreError, Transaction, jobs};
use uuid::Uuid;

use super::{
    Claim, DROP_ANSWER, Idempotency, IdempotencyRow, IdempotencyState, SealedAnswer, row_of,
    schedule_drop,
};
use crate::error::{PlatformError, proves_nothing_stored};
use crate::jobs::TIMERS;
use crate::records::PendingDeletion;

/// Longest answer stored in the row, in bytes.
const LONGEST_INLINE: usize = 32 * 1024;

/// An answer to be stored in the commit of its subject.
struct Answer {
    claim: Claim,
    subjects: Vec<Uuid>,
    data_key: Uuid,
    key: DataKey,
    /// The file of an answer too long for a row.
    file: Option<Uuid>,
    kept: SignedDuration,
}

impl Idempotency {
    /// Commits the writes of `work`. For a claimed request, `answer` is stored as
    /// the answer to repetitions, about `subjects`.
    ///
    /// # Errors
    /// That of `work` or of `answer`; [`PlatformError::ClaimLost`] when the claim
    /// has expired and another execution has taken over. The answer is deleted where
    /// it is known that nothing was committed; a sweep finds the rest of a failure
    /// before the commit.
    pub async fn commit<'env, T, V, E, F>(
        &self,
        claim: Option<Claim>,
        subjects: &[Uuid],
        answer: impl FnOnce() -> Result<V, E> + Send,
        work: F,
    ) -> Result<T, E>
    where
        T: Send + 'env,
        V: Into<KeptAnswer>,
        E: Error + From<PlatformError> + From<StoreError> + Send + 'static,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>>
            + Send
            + Sync
            + 'env,
    {
        let Some(claim) = claim else {
            return self.records.transact(work).await;
        };
        let text = text_of(&answer()?.into())?;
        let mut answer = self.prepare(claim, subjects).await?;
        let body = if text.len() <= LONGEST_INLINE {
            answer.seal(&text)?
        } else {
            let file = self
                .records
                .store
                .new_id()
                .await
                .map_err(PlatformError::from)?;
            let written = self
                .records
                .files
                .write(&answer.key, file, Bytes::from(text));
            written.await.map_err(PlatformError::from)?;
            answer.file = Some(file);
            SealedAnswer::File(file)
        };
        self.store(answer, work, move |_, _| Ok(body.clone())).await
    }

    /// Like [`commit`](Self::commit), for an answer that depends on the result of
    /// `work`.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub async fn commit_outcome<'env, T, V, E, F>(
        &self,
        claim: Option<Claim>,
        subjects: &[Uuid],
        answer: impl Fn(&T) -> V + Send + Sync + 'env,
        work: F,
    ) -> Result<T, E>
    where
        T: Send + 'env,
        V: Created,
        E: Error + From<PlatformError> + From<StoreError> + Send + 'static,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>>
            + Send
            + Sync
            + 'env,
    {
        let Some(claim) = claim else {
            return self.records.transact(work).await;
        };
        let prepared = self.prepare(claim, subjects).await?;
        let seal = move |prepared: &Answer, done: &T| {
            prepared.seal(&text_of(&KeptAnswer::of(&answer(done)))?)
        };
        self.store(prepared, work, seal).await
    }

    async fn prepare(&self, claim: Claim, subjects: &[Uuid]) -> Result<Answer, PlatformError> {
        let data_key = self.records.store.new_id().await?;
        Ok(Answer {
            claim,
            subjects: subjects.to_vec(),
            data_key,
            key: self.records.keys.create(data_key).await?,
            file: None,
            kept: self.kept,
        })
    }

    /// Stores an answer with its work; deletes it if it is known that nothing was
    /// committed.
    async fn store<'env, T, E, F, B>(&self, answer: Answer, work: F, body: B) -> Result<T, E>
    where
        T: Send + 'env,
        E: Error + From<PlatformError> + From<StoreError> + Send + 'static,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>>
            + Send
            + Sync
            + 'env,
        B: Fn(&Answer, &T) -> Result<SealedAnswer, PlatformError> + Send + Sync + 'env,
    {
        let parts = Arc::new((answer, work, body));
        let stored = self.records.transact(|tx| {
            let parts = Arc::clone(&parts);
            Box::pin(async move {
                let (answer, work, body) = &*parts;
                let done = work(tx).await?;
                keep(tx, answer, body(answer, &done)?).await?;
                Ok(done)
            })
        });
        let stored: Result<T, E> = stored.await;
        if let Err(error) = &stored
            && proves_nothing_stored(error)
            && let Err(error) = self.records.delete(&parts.0.pending_deletion()).await
        {
            let error: &dyn Error = &error;
            tracing::warn!(error, "an unneeded answer could not be removed");
        }
        stored
    }

    /// Opens a stored answer.
    pub(super) async fn open_answer(
        &self,
        key: &DataKey,
        claim: Uuid,
        answer: &SealedAnswer,
    ) -> Result<KeptAnswer, PlatformError> {
        let text = match answer {
            SealedAnswer::Inline(sealed) => {
                Bytes::copy_from_slice(&key.open(&context(claim), sealed)?)
            }
            SealedAnswer::File(file) => self.records.files.read(key, *file).await?,
        };
        serde_json::from_slice(&text)
            .map_err(|_| PlatformError::Inconsistent("a stored answer has another form"))
    }
}

impl Answer {
    fn seal(&self, text: &str) -> Result<SealedAnswer, PlatformError> {
        let sealed = self.key.seal(&context(self.claim.id), text.as_bytes())?;
        Ok(SealedAnswer::Inline(sealed))
    }

    fn pending_deletion(&self) -> PendingDeletion {
        PendingDeletion {
            data_keys: vec![self.data_key],
            byte_files: self.file.into_iter().collect(),
        }
    }
}

/// Stores an answer in the commit of its subject.
async fn keep(
    tx: &mut Transaction<'_>,
    answer: &Answer,
    body: SealedAnswer,
) -> Result<(), PlatformError> {
    let claim = &answer.claim;
    let row = row_of(tx, claim).await?.ok_or(PlatformError::ClaimLost)?;
    let until = shifted(tx.now(), answer.kept);
    tx.put(&IdempotencyRow {
        state: IdempotencyState::Answered {
            until,
            data_key: answer.data_key,
            answer: body,
            subjects: answer.subjects.clone(),
        },
        ..row
    })
    .await?;
    jobs::cancel(tx, TIMERS, &jobs::unique_key(DROP_ANSWER, claim.id)).await?;
    schedule_drop(tx, claim, until, answer.pending_deletion()).await
}

/// Returns the stored text of an answer.
fn text_of(kept: &KeptAnswer) -> Result<String, PlatformError> {
    serde_json::to_string(kept)
        .map_err(|_| PlatformError::Inconsistent("an answer cannot be written as JSON"))
}

/// Returns the context of a stored answer's text: the claim that it answers.
fn context(claim: Uuid) -> Vec<u8> {
    [b"answer\0", &claim.as_bytes()[..]].concat()
}
