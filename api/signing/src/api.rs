//! The trait behind the routes.

use async_trait::async_trait;
use bytes::Bytes;
use parafa_api_http::deliveries::DeliveriesApi;
use parafa_api_http::{Api, Problem};

use crate::ids::{BatchId, FileToken, SignerId, SigningId};
use crate::record::{DocumentDownload, Record};
use crate::requests::{
    BulkErasure, CreateBatch, CreateSigning, ListQuery, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use crate::views;
use crate::vocabulary::{SigningEventKind, SigningMethod};

/// Operations of the API, one method each.
///
/// Every method may answer any [`Problem`]; an id that is unknown or belongs to another workspace
/// or mode is [`Problem::not_found`]. Roles, rates and all properties of the request alone were
/// checked before.
#[async_trait]
pub trait SigningApi: DeliveriesApi<Event = SigningEventKind> + Api<Record = Record> {
    /// Available methods, in listing order. Called while a body is decoded, like `webhook_target`.
    fn methods(&self) -> Vec<SigningMethod>;

    /// Extensions of documents accepted beside those of the specification, in lower case: the
    /// operator has plugins for them. Called while a body is decoded, like `webhook_target`.
    fn further_extensions(&self) -> &[String] {
        &[]
    }

    /// Refuses operations that are only for test keys.
    ///
    /// # Errors
    /// [`ProblemKind::SandboxOnly`](crate::ProblemKind::SandboxOnly) for a live key.
    fn only_in_the_sandbox(caller: &Self::Caller) -> Result<(), Problem>;

    /// `GET /v1/capabilities`, also used by the guide. Must not block.
    fn capabilities(&self) -> views::Capabilities;

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

    /// `GET /v1/signings/{signingId}/evidence`.
    async fn read_evidence(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::SigningEvidence, Problem>;

    /// The evidence as a PDF, for `format=pdf`.
    async fn print_evidence(&self, caller: &Self::Caller, id: SigningId) -> Result<Bytes, Problem>;

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
    ) -> Result<views::Batch, Problem>;

    /// `GET /v1/batches/{batchId}`.
    async fn read_batch(&self, caller: &Self::Caller, id: BatchId)
    -> Result<views::Batch, Problem>;

    /// `POST /v1/files`.
    async fn store_file(
        &self,
        caller: &Self::Caller,
        request: NewFile,
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
    ) -> Result<views::Comment, Problem>;
}
