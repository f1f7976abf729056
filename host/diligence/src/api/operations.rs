use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;
use parafa_api_diligence::kyc::{self, KycApi, KycEventKind, OrderId};
use parafa_api_diligence::requests::{AnswerOptions, Question};
use parafa_api_diligence::{DiligenceApi, Record};
use parafa_api_http::deliveries::{CallersDeliveries, DeliveriesApi};
use parafa_api_http::{
    Api, Credentials, Download, IdempotentRequest, Presence, Problem, ProblemType, Representation,
    RequestId, Reservation,
};
use parafa_identification::IdentificationError;
use parafa_outbound::AddressPolicy;
use parafa_platform::accounts::{Caller, KeyMode, Product};
use parafa_platform::deliveries::Deliveries;
use parafa_platform::detached::{Waiter, run_detached};
use parafa_platform::keys::Keys;
use url::Url;

use crate::error::DiligenceError;
use crate::{Answered, DiligenceProduct};

/// The due-diligence API over the product.
pub struct DiligenceOperations {
    /// Service that answers questions and takes orders.
    pub product: DiligenceProduct,
    /// The callers of API keys.
    pub keys: Keys,
    /// Allowed addresses of callbacks.
    pub callback_policy: AddressPolicy,
    /// Callback deliveries.
    pub deliveries: Deliveries,
}

#[async_trait]
impl Api for DiligenceOperations {
    type Caller = Caller;
    type Record = Record;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        let caller = self.keys.caller(credentials, Product::Diligence).await;
        let caller = caller.map_err(DiligenceError::from)?;
        caller.ok_or_else(Problem::unauthorized)
    }

    async fn authenticate_any(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        let caller = self.keys.caller_of_any(credentials).await;
        let caller = caller.map_err(DiligenceError::from)?;
        caller.ok_or_else(Problem::unauthorized)
    }

    async fn presence(&self, caller: &Caller, record: Record) -> Result<Presence, Problem> {
        let order = match record {
            Record::Order(order) => order,
            Record::Delivery(id) => {
                let presence = self.deliveries.presence(caller, id).await;
                return Ok(presence.map_err(DiligenceError::from)?);
            }
        };
        match self.product.identifications.order(caller, order.0).await {
            Ok(order) if order.erased_at.is_some() => Ok(Presence::Erased),
            Ok(_) => Ok(Presence::Present),
            Err(IdentificationError::NotFound) => Ok(Presence::Absent),
            Err(error) => Err(error.into()),
        }
    }

    async fn reserve(
        &self,
        caller: &Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        let reserved = self
            .product
            .questions
            .idempotency
            .reserve(caller.key, &request);
        let reserved = reserved.await.map_err(DiligenceError::from)?;
        Ok(reserved.map(|claim| caller.claiming(claim)))
    }

    async fn hold(&self, caller: &Caller) -> Infallible {
        self.product.questions.idempotency.hold(caller.claim).await
    }

    async fn release(&self, caller: &Caller) {
        self.product
            .questions
            .idempotency
            .give_back(caller.claim)
            .await;
    }
}

#[async_trait]
impl DiligenceApi for DiligenceOperations {
    async fn answer(
        &self,
        caller: &Caller,
        question: Question,
        options: AnswerOptions,
        request_id: &RequestId,
    ) -> Result<Representation, Problem> {
        let (diligence, caller) = (Arc::clone(&self.product.questions), *caller);
        let request_id = request_id.clone();
        let waiter = Waiter::default();
        let awaited = waiter.awaited();
        // A caller that disconnects is not charged, but its question is still
        // logged.
        let answered = run_detached(async move {
            let reference = request_id.as_str();
            diligence
                .answer(&caller, &question, options, reference, &awaited)
                .await
        });
        let answered = answered.await.unwrap_or_else(|panicked| panicked.resume());
        drop(waiter);
        let answered = answered.map_err(|error| self.product.questions.problem(error))?;
        Ok(answered.into())
    }
}

impl From<Answered> for Representation {
    fn from(answered: Answered) -> Self {
        Self {
            media_type: answered.media_type.into(),
            content: answered.content,
            file_name: answered.file_name,
        }
    }
}

impl DeliveriesApi for DiligenceOperations {
    type Event = KycEventKind;

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        self.callback_policy
            .check(target.as_str())
            .map_err(|fault| format!("cannot be a target: {fault}"))
    }

    fn deliveries(&self) -> &dyn CallersDeliveries<Caller> {
        &self.deliveries
    }
}

#[async_trait]
impl KycApi for DiligenceOperations {
    fn only_in_the_sandbox(caller: &Caller) -> Result<(), Problem> {
        match caller.mode {
            KeyMode::Test => Ok(()),
            KeyMode::Live => Err(Problem::of(ProblemType::SANDBOX_ONLY)),
        }
    }

    async fn create_kyc_package(
        &self,
        caller: &Caller,
        request: kyc::CreateKycPackage,
        request_id: &RequestId,
    ) -> Result<kyc::KycOrder, Problem> {
        self.product
            .identifications
            .create_kyc_package(caller, request, request_id.as_str())
            .await
    }

    async fn read_kyc_package(
        &self,
        caller: &Caller,
        order: OrderId,
    ) -> Result<kyc::KycOrder, Problem> {
        self.product
            .identifications
            .read_kyc_package(caller, order.0)
            .await
    }

    async fn erase_kyc_package(
        &self,
        caller: &Caller,
        order: OrderId,
    ) -> Result<kyc::ErasedKycOrder, Problem> {
        self.product
            .identifications
            .erase_kyc_package(caller, order.0)
            .await
    }

    async fn download_kyc_artifact(
        &self,
        caller: &Caller,
        order: OrderId,
    ) -> Result<Download, Problem> {
        self.product
            .identifications
            .download_kyc_artifact(caller, order.0)
            .await
    }

    async fn simulate_kyc_package(
        &self,
        caller: &Caller,
        order: OrderId,
        request: kyc::SimulateKycPackage,
    ) -> Result<kyc::KycOrder, Problem> {
        self.product
            .identifications
            .simulate_kyc_package(caller, order.0, request)
            .await
    }
}
