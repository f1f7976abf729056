use http::StatusCode;
use jiff::Timestamp;
use parafa_api_http::Created;
use parafa_api_http::views::{HexDigest, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::vocabulary::{KycDeliveryKind, KycEventKind, KycRole, KycStatus, KycStatusReason};
use super::{OrderId, Purpose};

/// An order of an identification package.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KycOrder {
    /// Its id.
    pub order_id: OrderId,
    /// Its status.
    pub status: KycStatus,
    /// Reason for the refusal.
    pub status_reason: Option<KycStatusReason>,
    /// The code of the entity.
    pub entity_code: String,
    /// The claimed role.
    pub subject_role: KycRole,
    /// The purpose.
    pub purpose: Purpose,
    /// Delivery of the link to the subject.
    pub delivery: KycDeliveryKind,
    /// The address at which the subject signs, while they can.
    #[schemars(extend("format" = "uri"))]
    pub ceremony_url: Option<String>,
    /// Time of the order.
    #[serde(serialize_with = "timestamp::serialize")]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[serde(serialize_with = "timestamp::serialize")]
    pub updated_at: Timestamp,
    /// Deadline for the subject's signature.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
    /// Time of delivery.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub delivered_at: Option<Timestamp>,
    /// True if this workspace had the same person identified for the same entity before; null until
    /// it is delivered.
    pub reverification: Option<bool>,
    /// The price without VAT; null until it is delivered.
    pub price: Option<KycPrice>,
    /// The container; null until it is delivered, and once it is erased.
    pub artifact: Option<KycArtifact>,
    /// Time of erasure.
    #[serde(serialize_with = "timestamp::nullable::serialize")]
    pub erased_at: Option<Timestamp>,
    /// True for a sandbox order.
    pub sandbox: bool,
}

/// The price of a package.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct KycPrice {
    /// Decimal digits with two after the point.
    pub amount: String,
    /// ISO 4217.
    pub currency: &'static str,
}

/// A container of evidence.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KycArtifact {
    /// Its SHA-256.
    #[schemars(with = "HexDigest")]
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// Its media type.
    pub mime_type: &'static str,
}

/// The result of erasing an order.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErasedKycOrder {
    /// The order.
    order_id: OrderId,
    /// Always true.
    deleted: bool,
    /// True if this call erased it; false if it was erased before.
    changed: bool,
}

impl ErasedKycOrder {
    /// `changed` is whether it was erased now, and not before.
    #[must_use]
    pub fn new(order_id: OrderId, changed: bool) -> Self {
        Self {
            order_id,
            deleted: true,
            changed,
        }
    }
}

impl Created for KycOrder {
    const IDS: &'static [(&'static str, &'static str)] = &[("orderId", "$response.body#/orderId")];
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn address(&self) -> Option<Uuid> {
        Some(self.order_id.0)
    }
}

/// The body of an event that is posted to an order's callback. It does not name the subject.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KycEvent {
    /// The event.
    pub event: KycEventKind,
    /// The order.
    pub order_id: OrderId,
    /// Its status at that time.
    pub status: KycStatus,
    /// Reason for the refusal.
    pub status_reason: Option<KycStatusReason>,
    /// The code of the entity.
    pub entity_code: String,
    /// Time of the event.
    #[serde(serialize_with = "timestamp::serialize")]
    pub occurred_at: Timestamp,
    /// Only with `kyc.delivered`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<KycArtifact>,
}
