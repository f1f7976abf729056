//! What an API is to the code that serves it.

use std::convert::Infallible;

use async_trait::async_trait;

use crate::idempotency::{IdempotentRequest, Reservation};
use crate::principal::{Credentials, Principal};
use crate::problem::Problem;

/// What stands behind every operation of an API, whatever it is about. An API
/// makes this the supertrait of its own, which has a method for each operation.
///
/// A method that creates is called by whoever has claimed the
/// [`IdempotentRequest`], if it is one. It stores
/// [`KeptAnswer::of`](crate::KeptAnswer::of) the view that it returns under that
/// claim, in the same commit as what it creates, and fails without creating
/// anything when the claim has been lost to another request meanwhile. A method
/// that answers what is charged for does the same with
/// [`KeptAnswer::of_representation`](crate::KeptAnswer::of_representation) in the
/// commit that charges.
#[async_trait]
pub trait Api: Send + Sync + 'static {
    /// On whose behalf a request is made, with the right to answer it where that
    /// was claimed.
    type Caller: Principal;

    /// What the ids of a path name.
    type Record: Copy + Send + Sync + 'static;

    /// Whom credentials stand for, which are of the scheme that the operation
    /// takes.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] for all that do not work, whatever the
    /// reason.
    async fn authenticate(&self, credentials: &Credentials) -> Result<Self::Caller, Problem>;

    /// Whom credentials stand for that work with this API or with one beside it:
    /// they do for [`by_any_key`](crate::Draft::by_any_key), and for paths that no
    /// API has.
    ///
    /// # Errors
    /// As [`authenticate`](Self::authenticate).
    async fn authenticate_any(&self, credentials: &Credentials) -> Result<Self::Caller, Problem> {
        self.authenticate(credentials).await
    }

    /// Whether the caller has what a path names. Asked before a request's body
    /// is read.
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn presence(
        &self,
        caller: &Self::Caller,
        record: Self::Record,
    ) -> Result<Presence, Problem>;

    /// The origin whose pages may make calls about a record, where operations
    /// are [`from_pages`](crate::Draft::from_pages).
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn origin(&self, _record: Self::Record) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Claims a request that must not be carried out twice, or tells why it
    /// is not to be carried out now. Scoped to the caller's key. The caller that
    /// is given has the claim.
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn reserve(
        &self,
        caller: &Self::Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Self::Caller>, Problem>;

    /// Holds a caller's claim, if it has one, for as long as the request is carried
    /// out: nobody else claims it meanwhile. Never ends by itself.
    async fn hold(&self, caller: &Self::Caller) -> Infallible;

    /// Gives a caller's claim back after a refusal, so that the key may be used
    /// again. A claim that was neither answered nor given back ends by itself.
    async fn release(&self, caller: &Self::Caller);
}

/// Whether a caller has a record.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Presence {
    /// There is none, it is another workspace's or the other mode's, or it was
    /// deleted, removed, or has expired.
    Absent,
    /// Its content was erased. Some calls still answer.
    Erased,
    /// It is there.
    Present,
}
