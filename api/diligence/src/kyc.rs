//! Identification packages: a person's role in an entity, proven by their own qualified signature
//! and the register.

mod examples;
mod operations;
pub mod problems;
mod requests;
mod views;
mod vocabulary;
mod webhooks;

use async_trait::async_trait;
use parafa_api_http::deliveries::DeliveriesApi;
use parafa_api_http::{Api, Download, Problem, RequestId};

pub use self::examples::example;
pub use self::operations::{ABOUT_KYC, operations};
pub use self::requests::{CreateKycPackage, KycDelivery, SimulateKycPackage};
pub use self::views::{ErasedKycOrder, KycArtifact, KycEvent, KycOrder, KycPrice};
pub use self::vocabulary::{
    KycDeliveryKind, KycEventKind, KycRole, KycSimulation, KycStatus, KycStatusReason,
};
pub use crate::vocabulary::Purpose;

parafa_api_http::ids! {
    /// The order.
    OrderId in "orderId";
}

/// The operations on identification packages, one method each. An id that is
/// unknown or of another workspace or mode is [`Problem::not_found`].
#[async_trait]
pub trait KycApi: DeliveriesApi<Event = KycEventKind> + Api<Record: From<OrderId>> {
    /// Refuses operations that are only for test keys.
    ///
    /// # Errors
    /// [`ProblemType::SANDBOX_ONLY`](parafa_api_http::ProblemType::SANDBOX_ONLY) for a live key.
    fn only_in_the_sandbox(caller: &Self::Caller) -> Result<(), Problem>;

    /// `POST /v1/kyc-packages`. A refusal is accounted for by the request id.
    async fn create_kyc_package(
        &self,
        caller: &Self::Caller,
        request: CreateKycPackage,
        request_id: &RequestId,
    ) -> Result<KycOrder, Problem>;

    /// `GET /v1/kyc-packages/{orderId}`.
    async fn read_kyc_package(
        &self,
        caller: &Self::Caller,
        order: OrderId,
    ) -> Result<KycOrder, Problem>;

    /// `DELETE /v1/kyc-packages/{orderId}`.
    async fn erase_kyc_package(
        &self,
        caller: &Self::Caller,
        order: OrderId,
    ) -> Result<ErasedKycOrder, Problem>;

    /// `GET /v1/kyc-packages/{orderId}/artifact`.
    async fn download_kyc_artifact(
        &self,
        caller: &Self::Caller,
        order: OrderId,
    ) -> Result<Download, Problem>;

    /// `POST /v1/kyc-packages/{orderId}/simulate`.
    async fn simulate_kyc_package(
        &self,
        caller: &Self::Caller,
        order: OrderId,
        request: SimulateKycPackage,
    ) -> Result<KycOrder, Problem>;
}
