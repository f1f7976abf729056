//! What stands behind the routes.

mod caller;
mod idempotency;
mod record;

use async_trait::async_trait;
use url::Url;

pub use self::caller::{Access, ApiKey, CallerRole, KeyMode, Principal};
pub use self::idempotency::{
    Created, IDEMPOTENCY_HOURS, IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation,
};
pub use self::record::{DocumentDownload, Presence, Record};
use crate::ids::{BatchId, FileToken, SignerId, SigningId};
use crate::problem::Problem;
use crate::requests::{
    BulkErasure, CreateBatch, CreateSigning, ListQuery, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use crate::views;

/// The operations of the API, one method each.
///
/// Every method may answer any [`Problem`]; an id that is unknown or belongs
/// to another workspace or mode is [`Problem::not_found`]. Roles, rates and
/// everything that can be said of a request alone were looked at before.
///
/// A method that creates takes the claim of an [`IdempotentRequest`]. It
/// stores [`KeptAnswer::of`] the view that it returns under that claim, in the
/// same commit as what it creates, and fails without creating anything when
/// the claim has been lost to another request meanwhile.
#[async_trait]
pub trait SigningApi: Send + Sync + 'static {
    /// On whose behalf a request is made.
    type Caller: Principal;

    /// The right to answer an [`IdempotentRequest`].
    type Claim: Send + Sync + 'static;

    /// Whom a key stands for.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] for every key that does not work, whatever
    /// the reason.
    async fn authenticate(&self, key: &ApiKey) -> Result<Self::Caller, Problem>;

    /// Whether the caller has what a path names. Asked before a request's body
    /// is read.
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn presence(&self, caller: &Self::Caller, record: Record) -> Result<Presence, Problem>;

    /// Why an address that is spelled correctly may still not be a webhook's
    /// target, as a phrase for the fault at its pointer. Asked while the body
    /// is decoded, so that it is named along with all other faults; must not
    /// block.
    ///
    /// # Errors
    /// The phrase.
    fn webhook_target(&self, target: &Url) -> Result<(), String>;

    /// Claims a request that must not be carried out twice, or tells why it
    /// is not to be carried out now. Scoped to the caller's key.
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn reserve(
        &self,
        caller: &Self::Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Self::Claim>, Problem>;

    /// Gives a claim back after a refusal, so that the key may be used again.
    /// A claim that was neither answered nor given back ends by itself.
    async fn release(&self, claim: Self::Claim);

    /// `GET /v1/signings`.
    async fn list_signings(
        &self,
        caller: &Self::Caller,
        query: ListQuery,
    ) -> Result<views::SigningList, Problem>;

    /// `POST /v1/signings`.
    async fn create_signing(
        &self,
        caller: &Self::Caller,
        request: CreateSigning,
        claim: Option<&Self::Claim>,
    ) -> Result<views::Signing, Problem>;

    /// `GET /v1/signings/{signingId}`.
    async fn read_signing(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem>;

    /// `PATCH /v1/signings/{signingId}`.
    async fn update_deadline(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        request: UpdateDeadline,
    ) -> Result<views::Signing, Problem>;

    /// `DELETE /v1/signings/{signingId}`.
    async fn erase_signing(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::ErasedSigning, Problem>;

    /// `POST /v1/erasure`.
    async fn erase_ended_signings(
        &self,
        caller: &Self::Caller,
        request: BulkErasure,
    ) -> Result<views::ErasureCount, Problem>;

    /// `POST /v1/signings/{signingId}/cancel`.
    async fn cancel_signing(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem>;

    /// `GET /v1/signings/{signingId}/document`.
    async fn download_document(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem>;

    /// `POST /v1/signings/{signingId}/archive`.
    async fn archive_signing(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::ArchivedSigning, Problem>;

    /// `POST /v1/signings/{signingId}/simulate`; with test keys only.
    async fn simulate_outcome(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        request: Simulation,
    ) -> Result<views::Signing, Problem>;

    /// `POST /v1/signings/{signingId}/signers`.
    async fn add_signer(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        request: NewSigner,
        claim: Option<&Self::Claim>,
    ) -> Result<views::Signer, Problem>;

    /// `PATCH /v1/signings/{signingId}/signers/{signerId}`.
    async fn update_signer(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        signer: SignerId,
        request: UpdateSigner,
    ) -> Result<views::Signer, Problem>;

    /// `DELETE /v1/signings/{signingId}/signers/{signerId}`.
    async fn remove_signer(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        signer: SignerId,
    ) -> Result<(), Problem>;

    /// `POST /v1/signings/{signingId}/signers/{signerId}/remind`.
    async fn remind_signer(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        signer: SignerId,
    ) -> Result<views::Signer, Problem>;

    /// `POST /v1/batches`.
    async fn create_batch(
        &self,
        caller: &Self::Caller,
        request: CreateBatch,
        claim: Option<&Self::Claim>,
    ) -> Result<views::Batch, Problem>;

    /// `GET /v1/batches/{batchId}`.
    async fn read_batch(&self, caller: &Self::Caller, id: BatchId)
    -> Result<views::Batch, Problem>;

    /// `POST /v1/files`.
    async fn store_file(
        &self,
        caller: &Self::Caller,
        request: NewFile,
        claim: Option<&Self::Claim>,
    ) -> Result<views::StoredFile, Problem>;

    /// `GET /v1/files/{fileToken}`.
    async fn read_file(
        &self,
        caller: &Self::Caller,
        token: FileToken,
    ) -> Result<views::StoredFile, Problem>;

    /// `DELETE /v1/files/{fileToken}`.
    async fn delete_file(
        &self,
        caller: &Self::Caller,
        token: FileToken,
    ) -> Result<views::StoredFile, Problem>;

    /// `GET /v1/signings/{signingId}/comments`.
    async fn list_comments(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::CommentList, Problem>;

    /// `POST /v1/signings/{signingId}/comments`.
    async fn add_comment(
        &self,
        caller: &Self::Caller,
        id: SigningId,
        request: NewComment,
        claim: Option<&Self::Claim>,
    ) -> Result<views::Comment, Problem>;
}
