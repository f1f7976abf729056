//! Named turns: who may do a thing, and until when.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::shifted;
use crate::content::Content;
use crate::error::StoreError;
use crate::table::{Table, TableName};
use crate::transaction::Transaction;

/// A turn that was taken. Keep it with the work: only it can renew, confirm or release the turn.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Lease {
    /// What it is a turn at. No personal data.
    pub name: String,
    /// Who has it.
    pub holder: String,
    /// When it ends.
    pub until: Timestamp,
    /// Tells this turn from every other one, also of the same holder.
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

/// The answer to a request for a turn.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Acquired {
    /// It is the caller's.
    Taken(Lease),
    /// Somebody has it.
    Busy {
        /// Who.
        holder: String,
        /// Until when, unless it is prolonged.
        until: Timestamp,
    },
}

/// Takes the turn if nobody has it. The same holder does not get it twice.
///
/// # Errors
/// The engine's failure.
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

/// Confirms, as part of the transaction, that the turn is still the caller's.
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

/// Prolongs the turn to `term` from now.
///
/// # Errors
/// [`StoreError::LeaseLost`], also when it has ended and nobody has taken it.
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

/// Ends the turn; tells whether it was still the caller's.
///
/// # Errors
/// The engine's failure.
pub async fn release(tx: &mut Transaction<'_>, lease: &Lease) -> Result<bool, StoreError> {
    let current = tx.get::<Lease>(&lease.name).await?;
    if current.is_none_or(|current| current.turn != lease.turn) {
        return Ok(false);
    }
    tx.delete::<Lease>(&lease.name).await
}

/// The turn as it stands, if somebody has it now.
///
/// # Errors
/// The engine's failure.
pub async fn holder(tx: &mut Transaction<'_>, name: &str) -> Result<Option<Lease>, StoreError> {
    let now = tx.now();
    let current = tx.get::<Lease>(&name.to_owned()).await?;
    Ok(current.filter(|lease| now < lease.until))
}
