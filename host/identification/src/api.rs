//! Operations of the due-diligence API on identification packages.

pub(crate) mod problems;
mod views;

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use parafa_api_diligence::kyc;
use parafa_api_http::{Download, Problem};
use parafa_platform::accounts::Caller;
use parafa_register_data::Role;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) use self::views::{event, order};
use crate::{ARTIFACT_MEDIA_TYPE, Identifications, OrderDelivery, OrderForm, SimulatedOutcome};

/// Longest wait for a simulated completion.
const PATIENCE: Duration = Duration::from_secs(10);

impl Identifications {
    /// `POST /v1/kyc-packages`.
    ///
    /// # Errors
    /// The caller's problem.
    pub async fn create_kyc_package(
        &self,
        caller: &Caller,
        request: kyc::CreateKycPackage,
        request_id: &str,
    ) -> Result<kyc::KycOrder, Problem> {
        let created = self.create(caller, form(request), request_id).await;
        let created = created.map_err(|error| self.problem(error))?;
        Ok(views::order(&created))
    }

    /// `GET /v1/kyc-packages/{orderId}`.
    ///
    /// # Errors
    /// The caller's problem.
    pub async fn read_kyc_package(
        &self,
        caller: &Caller,
        order: Uuid,
    ) -> Result<kyc::KycOrder, Problem> {
        Ok(views::order(&self.order(caller, order).await?))
    }

    /// `DELETE /v1/kyc-packages/{orderId}`.
    ///
    /// # Errors
    /// The caller's problem.
    pub async fn erase_kyc_package(
        &self,
        caller: &Caller,
        order: Uuid,
    ) -> Result<kyc::ErasedKycOrder, Problem> {
        let changed = self.erase(caller, order).await?;
        Ok(kyc::ErasedKycOrder::new(kyc::OrderId(order), changed))
    }

    /// `GET /v1/kyc-packages/{orderId}/artifact`.
    ///
    /// # Errors
    /// The caller's problem.
    pub async fn download_kyc_artifact(
        &self,
        caller: &Caller,
        order: Uuid,
    ) -> Result<Download, Problem> {
        let content: Bytes = self.artifact(caller, order).await?;
        Ok(Download {
            bytes: content.len() as u64,
            file_name: format!("{order}.asice"),
            sha256: Sha256::digest(&content).into(),
            headers: vec![(CONTENT_TYPE, HeaderValue::from_static(ARTIFACT_MEDIA_TYPE))],
            content: Box::pin(async move { Ok(content.into()) }),
        })
    }

    /// `POST /v1/kyc-packages/{orderId}/simulate`. A completion is answered once
    /// it is delivered, unless that takes long.
    ///
    /// # Errors
    /// The caller's problem.
    pub async fn simulate_kyc_package(
        &self,
        caller: &Caller,
        order: Uuid,
        request: kyc::SimulateKycPackage,
    ) -> Result<kyc::KycOrder, Problem> {
        self.simulate(caller, order, simulated(request.action))
            .await?;
        let ended = self.end_of(caller, order, PATIENCE).await?;
        Ok(views::order(&ended))
    }
}

fn form(request: kyc::CreateKycPackage) -> OrderForm {
    OrderForm {
        entity: request.entity,
        role: role(request.role),
        purpose: request.purpose,
        delivery: match request.delivery {
            kyc::KycDelivery::Link => OrderDelivery::Link,
            kyc::KycDelivery::Email(address) => OrderDelivery::Email(address),
        },
        callback_url: request.callback_url.map(String::from),
    }
}

fn role(role: kyc::KycRole) -> Role {
    match role {
        kyc::KycRole::Manager => Role::Manager,
        kyc::KycRole::BoardMember => Role::BoardMember,
        kyc::KycRole::SupervisoryBoardMember => Role::SupervisoryBoardMember,
        kyc::KycRole::Procurator => Role::Procurator,
        kyc::KycRole::AuthorisedPerson => Role::AuthorisedPerson,
        kyc::KycRole::Shareholder => Role::Shareholder,
        kyc::KycRole::Member => Role::Member,
        kyc::KycRole::BeneficialOwner => Role::BeneficialOwner,
        kyc::KycRole::Liquidator => Role::Liquidator,
        kyc::KycRole::InsolvencyAdministrator => Role::InsolvencyAdministrator,
    }
}

fn simulated(action: kyc::KycSimulation) -> SimulatedOutcome {
    match action {
        kyc::KycSimulation::Complete => SimulatedOutcome::Complete,
        kyc::KycSimulation::Mismatch => SimulatedOutcome::Mismatch,
        kyc::KycSimulation::Decline => SimulatedOutcome::Decline,
        kyc::KycSimulation::Expire => SimulatedOutcome::Expire,
        kyc::KycSimulation::Fail => SimulatedOutcome::Fail,
    }
}
