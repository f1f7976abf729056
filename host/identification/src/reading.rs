//! Orders as seen by their callers.

use bytes::Bytes;
use jiff::Timestamp;
use parafa_api_diligence::Purpose;
use parafa_ceremony::links::Links;
use parafa_ceremony::opening::PreparedCeremony;
use parafa_ceremony::records::{CeremonyRow, Delivery};
use parafa_domain::{CeremonyStatus, KycRefusal, KycStatus};
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_register_data::{EntityCode, Role};
use uuid::Uuid;

use crate::Identifications;
use crate::error::IdentificationError;
use crate::outcome::shown;
use crate::records::{DeliveredPackage, OrderRow};

/// Media type of the evidence (ETSI EN 319 162-1).
pub const ARTIFACT_MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

/// An order in its present state.
#[derive(Clone, Debug)]
pub struct Order {
    /// Its id.
    pub id: Uuid,
    /// Its status.
    pub status: KycStatus,
    /// Reason of a refusal.
    pub refusal: Option<KycRefusal>,
    /// The entity.
    pub entity: EntityCode,
    /// The claimed role.
    pub role: Role,
    /// The purpose.
    pub purpose: Purpose,
    /// Delivery of the link to the subject.
    pub delivery: Delivery,
    /// The subject's page, as long as it can be signed.
    pub ceremony_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// The subject's deadline.
    pub expires_at: Timestamp,
    /// The delivered package.
    pub delivered: Option<DeliveredPackage>,
    /// Time of erasure.
    pub erased_at: Option<Timestamp>,
    /// The order is of the sandbox.
    pub sandbox: bool,
}

impl Order {
    /// Returns a new order that is about to be stored.
    pub(crate) fn opened(links: &Links, row: &OrderRow, ceremony: &PreparedCeremony) -> Self {
        let opened = &ceremony.opened;
        Self::of(links, row, Some(&opened.row), opened.read_at)
    }

    fn of(links: &Links, row: &OrderRow, ceremony: Option<&CeremonyRow>, now: Timestamp) -> Self {
        // A passed deadline counts before its job runs.
        let is_over = ceremony.is_none_or(|ceremony| {
            let signing = &ceremony.ceremony;
            let unsigned = [CeremonyStatus::Pending, CeremonyStatus::Expired];
            unsigned.contains(&signing.status) && !signing.is_live(now)
        });
        let order = shown(row.order, is_over, now);
        let awaits = order.status() == KycStatus::AwaitingSubject;
        let signer = ceremony.and_then(|ceremony| ceremony.ceremony.signers.first());
        let link = signer.filter(|_| awaits).map(|signer| {
            let token = links.ceremony_token(signer.id.uuid());
            links.address(&format!("/c/{}", token.reveal()))
        });
        Self {
            id: row.id,
            status: order.status(),
            refusal: order.refusal(),
            entity: row.entity.clone(),
            role: row.role,
            purpose: row.purpose,
            delivery: row.delivery,
            ceremony_url: link,
            created_at: row.created_at,
            updated_at: order.updated_at(),
            expires_at: row.expires_at,
            delivered: row.delivered.clone(),
            erased_at: row.erased_at,
            sandbox: row.mode == KeyMode::Test,
        }
    }
}

impl Identifications {
    /// Returns an order of this caller.
    ///
    /// # Errors
    /// [`IdentificationError::NotFound`].
    pub async fn order(&self, caller: &Caller, id: Uuid) -> Result<Order, IdentificationError> {
        // One transaction, so that an order and its ceremony are of one moment.
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<OrderRow>(&id).await?;
                    let row = row.filter(|row| row.is_of(caller));
                    let row = row.ok_or(IdentificationError::NotFound)?;
                    let ceremony = tx.get::<CeremonyRow>(&row.ceremony).await?;
                    let links = self.ceremonies.links();
                    Ok(Order::of(links, &row, ceremony.as_ref(), tx.now()))
                })
            })
            .await
    }

    /// Returns the evidence of a delivered order.
    ///
    /// # Errors
    /// [`IdentificationError::ArtifactNotReady`] before delivery,
    /// [`IdentificationError::NeverDelivered`] where the order ended without it,
    /// [`IdentificationError::NotFound`] once it was erased.
    pub async fn artifact(&self, caller: &Caller, id: Uuid) -> Result<Bytes, IdentificationError> {
        let order = self.order(caller, id).await?;
        let Some(package) = order.delivered else {
            return Err(match order.status {
                _ if order.erased_at.is_some() => IdentificationError::NotFound,
                ended if ended.is_terminal() => IdentificationError::NeverDelivered(ended),
                status => IdentificationError::ArtifactNotReady(status),
            });
        };
        let row = self.records.store.get::<OrderRow>(&id).await?;
        let row = row.filter(|row| row.erased_at.is_none());
        let row = row.ok_or(IdentificationError::NotFound)?;
        let key = self.records.data_key(row.data_key).await?;
        Ok(self
            .records
            .files
            .read(&key, package.artifact.bytes_id)
            .await?)
    }
}
