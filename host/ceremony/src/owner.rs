//! Owners: products with writes of their own in the commits of ceremonies.

use std::sync::Arc;

use async_trait::async_trait;
use parafa_domain::{CeremonyEvent, SignerId};
use parafa_platform::accounts::Product;
use parafa_store::Transaction;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::records::CeremonyRow;

/// A product that owns ceremonies. Its work in a transaction must have no effect
/// outside of it, since a transaction may be retried.
#[async_trait]
pub trait CeremonyOwner: Send + Sync {
    /// Stores the consequences of transitions: bills, events, the product's own
    /// rows. `row` is the state after them.
    async fn changed(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        events: &[CeremonyEvent],
    ) -> Result<(), CeremonyError>;

    /// Invites a signer whose turn has come, or will; returns false if the
    /// product leaves that to the ceremony, which then sends its own letter.
    async fn invite(
        &self,
        tx: &mut Transaction<'_>,
        key: &DataKey,
        row: &CeremonyRow,
        signer: SignerId,
    ) -> Result<bool, CeremonyError>;

    /// Returns whether the erasure of an open ceremony has a final event, which
    /// needs a key that outlives the ceremony.
    fn has_final_event(&self, key: &DataKey, row: &CeremonyRow) -> Result<bool, CeremonyError>;

    /// Removes the product's data on an erased ceremony; returns the keys to be
    /// erased with it, and whether it used the other one.
    async fn erased(
        &self,
        tx: &mut Transaction<'_>,
        erasure: Erasure<'_>,
    ) -> Result<ErasedByOwner, CeremonyError>;

    /// Clears rows that can no longer be read, outside of the commit. Repeating
    /// it is harmless.
    async fn finish_erasure(&self, ceremony: Uuid) -> Result<(), CeremonyError>;
}

/// A ceremony that is being erased.
pub struct Erasure<'e> {
    /// The ended row.
    pub row: &'e CeremonyRow,
    /// Events of the end, if it was open.
    pub events: &'e [CeremonyEvent],
    /// Keys of the final event, if there is one.
    pub final_event: Option<FinalEventKeys<'e>>,
}

/// Keys for an event that outlives its ceremony.
#[derive(Clone, Copy)]
pub struct FinalEventKeys<'e> {
    /// The ceremony's key.
    pub ceremony: &'e DataKey,
    /// The event's own key, with its id.
    pub event: (Uuid, &'e DataKey),
}

/// An owner's part of an erasure.
#[derive(Debug, Default)]
pub struct ErasedByOwner {
    /// Keys to be erased with the ceremony's.
    pub data_keys: Vec<Uuid>,
    /// The event's own key was used.
    pub uses_event_key: bool,
}

/// The products that own ceremonies. Clones share them.
#[derive(Clone)]
pub struct Owners(Arc<[(Product, Arc<dyn CeremonyOwner>)]>);

impl Owners {
    /// Creates the set of these products.
    pub fn new(owners: Vec<(Product, Arc<dyn CeremonyOwner>)>) -> Self {
        Self(owners.into())
    }

    /// Returns the owner of a ceremony.
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
