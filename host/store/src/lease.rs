//! Named leases: exclusive rights with an end.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::shifted;
use crate::content::Content;
use crate::error::StoreError;
use crate::table::{Table, TableName};
use crate::transaction::Transaction;

/// An acquired lease. Keep it with the work: only it can renew, confirm or release the lease.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Lease {
    /// Name of the lease. No personal data.
    pub name: String,
    /// The holder.
    pub holder: String,
    /// End of the lease.
    pub until: Timestamp,
    /// Id of this acquisition, different from every other one, also of the same holder.
    pub turn: Uuid,
}

impl Table for Lease {
    type Key = String;
    const NAME: TableName = TableName::reserved("_lease");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> String {
        self.name.clone()
    }
}

/// Outcome of acquiring a lease.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Acquired {
    /// The caller holds it.
    Taken(Lease),
    /// Another holder has it.
    Busy {
        /// The holder.
        holder: String,
        /// End of the lease, unless it is renewed.
        until: Timestamp,
    },
}

/// Acquires the lease if it is free. The same holder does not get it twice.
///
/// # Errors
/// An engine failure.
pub async fn acquire(
    tx: &mut Transaction<'_>,
    name: &str,
    holder: &str,
    term: SignedDuration,
) -> Result<Acquired, StoreError> {
    if let Some(current) = self::holder(tx, name).await? {
        return Ok(Acquired::Busy {
            holder: current.holder,
            until: current.until,
        });
    }
    let lease = Lease {
        name: name.to_owned(),
        holder: holder.to_owned(),
        until: shifted(tx.now(), term),
        turn: tx.new_id()?,
    };
    tx.put(&lease).await?;
    Ok(Acquired::Taken(lease))
}

/// Confirms, as part of the transaction, that the lease is still the caller's.
///
/// # Errors
/// [`StoreError::LeaseLost`].
pub async fn confirm(tx: &mut Transaction<'_>, lease: &Lease) -> Result<(), StoreError> {
    match holder(tx, &lease.name).await? {
        Some(current) if current.turn == lease.turn => Ok(()),
        _ => Err(StoreError::LeaseLost {
            name: lease.name.clone(),
        }),
    }
}

/// Renews the lease until `term` from now.
///
/// # Errors
/// [`StoreError::LeaseLost`], also when it has ended and is free.
pub async fn renew(
    tx: &mut Transaction<'_>,
    lease: &Lease,
    term: SignedDuration,
) -> Result<Lease, StoreError> {
    confirm(tx, lease).await?;
    let renewed = Lease {
        until: shifted(tx.now(), term),
        ..lease.clone()
    };
    tx.put(&renewed).await?;
    Ok(renewed)
}

/// Releases the lease; returns whether it was still the caller's.
///
/// # Errors
/// An engine failure.
pub async fn release(tx: &mut Transaction<'_>, lease: &Lease) -> Result<bool, StoreError> {
    let current = tx.get::<Lease>(&lease.name).await?;
    if current.is_none_or(|current| current.turn != lease.turn) {
        return Ok(false);
    }
    tx.delete::<Lease>(&lease.name).await
}

/// Returns the lease, if it is held now.
///
/// # Errors
/// An engine failure.
pub async fn holder(tx: &mut Transaction<'_>, name: &str) -> Result<Option<Lease>, StoreError> {
    let now = tx.now();
    let current = tx.get::<Lease>(&name.to_owned()).await?;
    Ok(current.filter(|lease| now < lease.until))
}
