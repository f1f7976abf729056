//! What a product has done in the commits of its ceremonies.

use std::sync::Arc;

use async_trait::async_trait;
use parafa_domain::{CeremonyEvent, SignerId};
use parafa_platform::accounts::Product;
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::records::CeremonyRow;

/// A product that ceremonies are held for. What it does in a transaction must
/// have no effect outside of it: a transaction may be tried several times.
#[async_trait]
pub trait CeremonyOwner: Send + Sync {
    /// Stores what follows from transitions: bills, events, the product's own
    /// rows. `row` is as it is after them.
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError>;

    /// Writes to a signer whose turn has come, or will; false where the product
    /// leaves that to the ceremony, which then sends a letter of its own.
    async fn invite(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        signer: SignerId,
    ) -> Result<bool, CeremonyError>;

    /// Whether something is still to be told once an open ceremony is erased,
    /// for which there has to be a key that outlives it.
    fn has_final_event(&self, key: &DataKey, row: &CeremonyRow) -> Result<bool, CeremonyError>;

    /// Removes what the product's rows say about an erased ceremony; gives the
    /// keys that are to be erased with it, and whether it used the other one.
    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError>;

    /// Clears away rows that nobody can read any more, outside of the commit.
    /// Doing it again is harmless.
    async fn finish_erasure(&self, ceremony: Uuid) -> Result<(), CeremonyError>;
}

/// A ceremony that is being erased.
pub struct Erasure<'e> {
    /// As it is stored, and ended.
    pub row: &'e CeremonyRow,
    /// How it ended, if it was open.
    pub events: &'e [CeremonyEvent],
    /// Where something is to be told: the ceremony's key, and the one to tell it
    /// under.
    pub final_event: Option<FinalEventKeys<'e>>,
}

/// The keys of an event that outlives its ceremony.
#[derive(Clone, Copy)]
pub struct FinalEventKeys<'e> {
    /// The ceremony's.
    pub ceremony: &'e DataKey,
    /// The event's own, by its name.
    pub event: (Uuid, &'e DataKey),
}

/// What an owner has made of an erasure.
#[derive(Debug, Default)]
pub struct ErasedByOwner {
    /// Keys that are to be erased with the ceremony's.
    pub data_keys: Vec<Uuid>,
    /// Whether something was sealed under the event's own key.
    pub uses_event_key: bool,
}

/// The products that ceremonies are held for. Clones are the same.
#[derive(Clone)]
pub struct Owners(Arc<[(Product, Arc<dyn CeremonyOwner>)]>);

impl Owners {
    /// These products.
    pub fn new(owners: Vec<(Product, Arc<dyn CeremonyOwner>)>) -> Self {
        Self(owners.into())
    }

    /// The owner of a ceremony.
    pub(crate) fn of(&self, row: &CeremonyRow) -> Result<&dyn CeremonyOwner, CeremonyError> {
        let product = row.owner().product;
        let mut owners = self.0.iter();
        let owner = owners.find(|(one, _)| *one == product);
        let owner = owner.map(|(_, owner)| &**owner);
        owner.ok_or(CeremonyError::Inconsistent(
            "a ceremony is held for no product here",
        ))
    }
}
