//! Events of ceremonies as reported to their owner.

use async_trait::async_trait;
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::{CeremonyError, CeremonyOwner, ErasedByOwner, Erasure};
use parafa_domain::{CeremonyEvent, CeremonyStatus, SignerId};
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, Product};
use parafa_store::keys::DataKey;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use crate::support::{CALLER, ORDER, Stage};

/// A product unknown to ceremonies, which notes on its order the events of the
/// ceremony.
pub(crate) struct Orders;

async fn note(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    name: &'static str,
) -> Result<(), CeremonyError> {
    let fields = audit::Fields::new().reference("ceremony", row.ceremony.id);
    Ok(audit::append(tx, row.owner().subject, name, fields)
        .await
        .map(drop)?)
}

#[async_trait]
impl CeremonyOwner for Orders {
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        _: &DataKey,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError> {
        if events.contains(&CeremonyEvent::Cancelled) {
            note(tx, row, "order.withdrawn").await?;
        }
        Ok(())
    }

    async fn invite(
        &self,
        _: &mut Transaction<'_>,
        _: &DataKey,
        _: &CeremonyRow,
        _: SignerId,
    ) -> Result<bool, CeremonyError> {
        Ok(true)
    }

    fn has_final_event(&self, _: &DataKey, _: &CeremonyRow) -> Result<bool, CeremonyError> {
        Ok(false)
    }

    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError> {
        note(tx, erasure.row, "order.emptied").await?;
        Ok(ErasedByOwner::default())
    }

    async fn finish_erasure(&self, _: Uuid) -> Result<(), CeremonyError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_ceremony_is_held_for_the_record_of_another_product_and_tells_that_one_alone() {
    let stage = Stage::set().await;
    let (ceremonies, id) = (&stage.ceremonies, stage.ceremony);

    let stranger = Caller {
        product: Product::Signing,
        ..CALLER
    };
    for refused in [
        ceremonies.cancel(&stranger, id).await.map(drop),
        ceremonies.erase(&stranger, id).await.map(drop),
    ] {
        assert!(matches!(refused, Err(CeremonyError::NotFound)));
    }
    assert!(noted(&stage.records).await.is_empty());

    let cancelled = ceremonies.cancel(&CALLER, id).await.unwrap();
    assert_eq!(cancelled.row.ceremony.status, CeremonyStatus::Cancelled);
    assert_eq!(noted(&stage.records).await, ["order.withdrawn"]);
    assert!(ceremonies.erase(&CALLER, id).await.unwrap());
    assert_eq!(
        noted(&stage.records).await,
        ["order.withdrawn", "order.emptied"]
    );
}

/// Returns the events that the product has noted on its order.
async fn noted(records: &Records) -> Vec<String> {
    let events = records
        .store
        .read(|tx| Box::pin(async move { audit::events(tx, ORDER, 0, 10).await }))
        .await;
    let events = events.unwrap().into_iter();
    events.map(|event| event.name).collect()
}
