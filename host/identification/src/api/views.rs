use parafa_api_diligence::kyc::{self, OrderId};
use parafa_ceremony::records::Delivery;
use parafa_domain::{KycRefusal, KycStatus};
use parafa_platform::billing::CURRENCY;
use parafa_platform::outbox::NoticeRow;
use parafa_register_data::Role;

use crate::records::{Artifact, OutcomePayload};
use crate::{ARTIFACT_MEDIA_TYPE, Order};

/// Returns the caller's view of an order.
pub(crate) fn order(order: &Order) -> kyc::KycOrder {
    let delivered = order.delivered.as_ref();
    kyc::KycOrder {
        order_id: OrderId(order.id),
        status: status(order.status),
        status_reason: order.refusal.map(reason),
        entity_code: order.entity.to_string(),
        subject_role: role(order.role),
        purpose: order.purpose,
        delivery: match order.delivery {
            Delivery::Link => kyc::KycDeliveryKind::Link,
            Delivery::Email => kyc::KycDeliveryKind::Email,
        },
        ceremony_url: order.ceremony_url.clone(),
        created_at: order.created_at,
        updated_at: order.updated_at,
        expires_at: order.expires_at,
        delivered_at: delivered.map(|package| package.at),
        reverification: delivered.map(|package| package.reverification),
        price: delivered.map(|package| kyc::KycPrice {
            amount: package.price.to_string(),
            currency: CURRENCY,
        }),
        artifact: delivered
            .filter(|_| order.erased_at.is_none())
            .map(|package| artifact(&package.artifact)),
        erased_at: order.erased_at,
        sandbox: order.sandbox,
    }
}

/// Returns the body posted to a callback; `None` for a status without an event.
pub(crate) fn event(notice: &NoticeRow, payload: &OutcomePayload) -> Option<kyc::KycEvent> {
    let event = match payload.status {
        KycStatus::AwaitingSubject | KycStatus::Verifying => return None,
        KycStatus::Delivered => kyc::KycEventKind::Delivered,
        KycStatus::IdentityMismatch => kyc::KycEventKind::IdentityMismatch,
        KycStatus::Refused => kyc::KycEventKind::Refused,
        KycStatus::Expired => kyc::KycEventKind::Expired,
        KycStatus::Failed => kyc::KycEventKind::Failed,
    };
    Some(kyc::KycEvent {
        event,
        order_id: OrderId(notice.subject),
        status: status(payload.status),
        status_reason: payload.refusal.map(reason),
        entity_code: payload.entity.to_string(),
        occurred_at: notice.occurred_at,
        artifact: payload.artifact.as_ref().map(artifact),
    })
}

fn artifact(artifact: &Artifact) -> kyc::KycArtifact {
    kyc::KycArtifact {
        sha256: artifact.sha256.clone(),
        bytes: artifact.bytes,
        mime_type: ARTIFACT_MEDIA_TYPE,
    }
}

pub(super) fn status(status: KycStatus) -> kyc::KycStatus {
    match status {
        KycStatus::AwaitingSubject => kyc::KycStatus::AwaitingSubject,
        KycStatus::Verifying => kyc::KycStatus::Verifying,
        KycStatus::Delivered => kyc::KycStatus::Delivered,
        KycStatus::IdentityMismatch => kyc::KycStatus::IdentityMismatch,
        KycStatus::Refused => kyc::KycStatus::Refused,
        KycStatus::Expired => kyc::KycStatus::Expired,
        KycStatus::Failed => kyc::KycStatus::Failed,
    }
}

fn reason(reason: KycRefusal) -> kyc::KycStatusReason {
    match reason {
        KycRefusal::SubjectDeclined => kyc::KycStatusReason::SubjectDeclined,
        KycRefusal::RoleNoLongerHeld => kyc::KycStatusReason::RoleNoLongerHeld,
        KycRefusal::OutOfScopeIdentifier => kyc::KycStatusReason::OutOfScopeIdentifier,
    }
}

fn role(role: Role) -> kyc::KycRole {
    match role {
        Role::Manager => kyc::KycRole::Manager,
        Role::BoardMember => kyc::KycRole::BoardMember,
        Role::SupervisoryBoardMember => kyc::KycRole::SupervisoryBoardMember,
        Role::Procurator => kyc::KycRole::Procurator,
        Role::AuthorisedPerson => kyc::KycRole::AuthorisedPerson,
        Role::Shareholder => kyc::KycRole::Shareholder,
        Role::Member => kyc::KycRole::Member,
        Role::BeneficialOwner => kyc::KycRole::BeneficialOwner,
        Role::Liquidator => kyc::KycRole::Liquidator,
        Role::InsolvencyAdministrator => kyc::KycRole::InsolvencyAdministrator,
    }
}
