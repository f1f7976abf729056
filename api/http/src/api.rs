//! The trait that an API implements.

use std::convert::Infallible;

use async_trait::async_trait;

use crate::idempotency::{IdempotentRequest, Reservation};
use crate::principal::{Credentials, Principal};
use crate::problem::Problem;

/// Common part of every API. An API makes this the supertrait of its own trait, which has a method
/// for each operation.
///
/// A method that creates stores [`KeptAnswer::of`](crate::KeptAnswer::of) the view that it returns,
/// if the caller has claimed an [`IdempotentRequest`]. It does so under that claim, in the same
/// commit as the new record. If another request took the claim meanwhile, it fails without creating
/// anything. A method that charges for its answer does the same with
/// [`KeptAnswer::of_representation`](crate::KeptAnswer::of_representation), in the commit that
/// charges.
#[async_trait]
pub trait Api: Send + Sync + 'static {
    /// Caller of a request, with its claim if it has one.
    type Caller: Principal;

    /// A record named by the ids of a path.
    type Record: Copy + Send + Sync + 'static;

    /// Authenticates credentials of the operation's scheme, and returns the caller.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] for all invalid ones, whatever the reason.
    async fn authenticate(&self, credentials: &Credentials) -> Result<Self::Caller, Problem>;

    /// Authenticates credentials of this API or of another API of the service. For
    /// [`by_any_key`](crate::Draft::by_any_key), and for paths that no API has.
    ///
    /// # Errors
    /// As [`authenticate`](Self::authenticate).
    async fn authenticate_any(&self, credentials: &Credentials) -> Result<Self::Caller, Problem> {
        self.authenticate(credentials).await
    }

    /// Checks that the caller has the record of a path. Called before a request's body is read.
    ///
    /// # Errors
    /// `unavailable` if this cannot be determined now.
    async fn presence(
        &self,
        caller: &Self::Caller,
        record: Self::Record,
    ) -> Result<Presence, Problem>;

    /// Origin whose pages may make calls about a record, for operations that are
    /// [`from_pages`](crate::Draft::from_pages).
    ///
    /// # Errors
    /// `unavailable` if this cannot be determined now.
    async fn origin(&self, _record: Self::Record) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Claims a request that must not be carried out twice, or says why it must not be carried out
    /// now. Scoped to the caller's key. The caller returned has the claim.
    ///
    /// # Errors
    /// `unavailable` if this cannot be determined now.
    async fn reserve(
        &self,
        caller: &Self::Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Self::Caller>, Problem>;

    /// Keeps a caller's claim, if it has one, while the request is carried out, so that no other
    /// request claims it. Never returns.
    async fn hold(&self, caller: &Self::Caller) -> Infallible;

    /// Releases a caller's claim after a refusal, so that the key may be used again. A claim that
    /// was neither answered nor released expires.
    async fn release(&self, caller: &Self::Caller);
}

/// Presence of a record for a caller.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Presence {
    /// There is no such record for the caller, or it was deleted, removed, or has expired.
    Absent,
    /// Its content was erased. Some calls still answer.
    Erased,
    /// The record exists.
    Present,
}
