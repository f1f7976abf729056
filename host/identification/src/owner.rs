//! Changes of an order in the commits of its ceremony.

use async_trait::async_trait;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::{CeremonyError, CeremonyOwner, ErasedByOwner, Erasure};
use parafa_domain::{CeremonyEvent, KycOrder, SignerId};
use parafa_platform::Records;
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::IdentificationError;
use crate::outcome;
use crate::records::OrderRow;

/// Orders of identification packages as owners of ceremonies.
pub struct OrderOwner {
    /// The rows with their files and keys.
    pub records: Records,
}

#[async_trait]
impl CeremonyOwner for OrderOwner {
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        _key: &DataKey,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError> {
        self.follow(tx, row, events).await
    }

    async fn invite(
        &self,
        _tx: &mut Transaction<'_>,
        _key: &DataKey,
        _row: &CeremonyRow,
        _signer: SignerId,
    ) -> Result<bool, CeremonyError> {
        Ok(false)
    }

    /// Returns false: the order's own key outlives the ceremony.
    fn has_final_event(&self, _key: &DataKey, _row: &CeremonyRow) -> Result<bool, CeremonyError> {
        Ok(false)
    }

    /// Keeps the order and its evidence.
    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError> {
        self.follow(tx, erasure.row, erasure.events).await?;
        Ok(ErasedByOwner::default())
    }

    async fn finish_erasure(&self, _ceremony: Uuid) -> Result<(), CeremonyError> {
        Ok(())
    }
}

impl OrderOwner {
    async fn follow(
        &self,
        tx: &mut Transaction<'_>,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError> {
        let Some(transition) = events.iter().find_map(transition) else {
            return Ok(());
        };
        let order = tx.get::<OrderRow>(&row.owner().subject).await?;
        let mut order = order.ok_or(CeremonyError::Inconsistent(
            "a ceremony is held for no order",
        ))?;
        let before = order.order;
        transition(&mut order.order, tx.now());
        if order.order == before {
            return Err(CeremonyError::Inconsistent(
                "an order has ended before its ceremony",
            ));
        }
        if !order.order.status().is_terminal() {
            outcome::schedule_verification(tx, order.id).await?;
        }
        let key = match self.records.data_key(order.data_key).await {
            Ok(key) => Some(key),
            Err(error) if error.is_unreadable() => {
                tracing::error!(
                    order.id = %order.id,
                    error = &error as &dyn std::error::Error,
                    "an order that cannot be read continues without a callback"
                );
                None
            }
            Err(error) => return Err(error.into()),
        };
        outcome::store(tx, key.as_ref(), &mut order)
            .await
            .map_err(of_order)
    }
}

/// Returns the transition of the order; `None` for most events.
fn transition(event: &CeremonyEvent) -> Option<fn(&mut KycOrder, jiff::Timestamp)> {
    match event {
        CeremonyEvent::Completed => Some(|order, now| {
            let _ = order.sign(now);
        }),
        CeremonyEvent::Declined => Some(|order, now| {
            let _ = order.decline(now);
        }),
        CeremonyEvent::Expired => Some(|order, now| {
            let _ = order.expire(now);
        }),
        CeremonyEvent::Cancelled | CeremonyEvent::Failed => Some(|order, now| {
            let _ = order.abort(now);
        }),
        CeremonyEvent::SignerDeclined(_)
        | CeremonyEvent::SignerReleased(_)
        | CeremonyEvent::SignerSigned(_) => None,
    }
}

fn of_order(error: IdentificationError) -> CeremonyError {
    match error {
        IdentificationError::Platform(error) => error.into(),
        IdentificationError::Ceremony(error) => error,
        _ => CeremonyError::Inconsistent("an order cannot be stored"),
    }
}
