//! The trait behind the routes.

use async_trait::async_trait;
use parafa_api_http::deliveries::DeliveryId;
use parafa_api_http::{Api, Problem, Representation, RequestId};

use crate::kyc::{KycApi, OrderId};
use crate::requests::{AnswerOptions, Question};

/// The record named by an id in a path.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Record {
    /// An order.
    Order(OrderId),
    /// An event that is posted to a callback.
    Delivery(DeliveryId),
}

impl From<OrderId> for Record {
    fn from(order: OrderId) -> Self {
        Self::Order(order)
    }
}

impl From<DeliveryId> for Record {
    fn from(delivery: DeliveryId) -> Self {
        Self::Delivery(delivery)
    }
}

/// Operations of the API, beside those on identification packages.
///
/// Every method may answer any [`Problem`]. Roles, rates and all properties of the request alone
/// were checked before.
#[async_trait]
pub trait DiligenceApi: KycApi + Api<Record = Record> {
    /// Answers a question in the requested form: JSON of the operation's view,
    /// [`JADES`](crate::JADES) or [`ASICE`](crate::ASICE). The call is logged under its request id,
    /// which the caller gets too.
    async fn answer(
        &self,
        caller: &Self::Caller,
        question: Question,
        options: AnswerOptions,
        request_id: &RequestId,
    ) -> Result<Representation, Problem>;
}
