//! Common steps of all operations, before and after their own.

use std::sync::Arc;

use axum::extract::Request;
use tokio::sync::oneshot;

use super::contract::{BodyKind, Contract};
use super::{Input, PathParams};
use crate::api::{Api, Presence};
use crate::decode::{self, Fault, Query};
use crate::edge::{AdmittedBody, BodyLimits, BudgetShare, RequestId};
use crate::problem::{Problem, ProblemType};
use crate::served::Http;

/// Maximum length of a body decoded on the current thread, in bytes: waking another thread takes
/// longer.
const DECODED_IN_PLACE: usize = 16 * 1024;
/// Detail of a 404 for an erased record.
const ERASED: &str =
    "The record that the path names was erased; only its states and times are left.";

/// A call that is to be carried out: its request was read and is valid.
pub struct Call<A: Api, P, T> {
    /// Implementation of the API.
    pub api: Arc<A>,
    /// Caller, with the claim if the request must not be carried out twice.
    pub caller: Arc<A::Caller>,
    /// The ids of its path.
    pub path: P,
    /// Decoded input.
    pub request: T,
    /// Id of the request in the answer, the log and for the caller.
    pub request_id: RequestId,
    /// Kept as long as the decoded body.
    pub(super) _share: BudgetShare,
}

/// A request for an operation, from an authorised caller.
pub(super) struct AuthorizedRequest<A: Api, P> {
    pub(super) http: Http<A>,
    pub(super) caller: Arc<A::Caller>,
    pub(super) path: P,
    pub(super) contract: Arc<Contract<A>>,
    pub(super) request: Request,
    pub(super) request_id: RequestId,
}

impl<A: Api, P: PathParams<A::Record>> AuthorizedRequest<A, P> {
    pub(super) async fn call<I: Input<A>>(self) -> Result<Call<A, P, I::Value>, Problem> {
        if I::BODY != BodyKind::None {
            let (call, ()) = self.call_with_body::<I, _>(None, |_| ()).await?;
            return Ok(call);
        }
        self.call_with_query::<I>(None).await
    }

    /// Builds a call without a body, with a fault of the headers if there is one.
    pub(super) async fn call_with_query<I: Input<A>>(
        self,
        of_headers: Option<Fault>,
    ) -> Result<Call<A, P, I::Value>, Problem> {
        let query = self.query();
        let before: Vec<Fault> = self.path.fault().into_iter().chain(of_headers).collect();
        if !query.is_empty() || !before.is_empty() {
            self.find().await?;
        }
        let request = decode::query(&query, before, I::of_query)?;
        Ok(self.with(request, BudgetShare::default()))
    }

    /// Builds the call, with a fault of the headers if there is one, and the `digest` of the body.
    /// Bodies that are not short are decoded away from the threads that serve sockets. Only a few
    /// long ones are decoded at a time: they may be documents of many megabytes. The body's share
    /// of the budget is kept with it, even if the caller disconnects.
    pub(super) async fn call_with_body<I: Input<A>, D: Send + 'static>(
        mut self,
        of_headers: Option<Fault>,
        digest: impl FnOnce(&[u8]) -> D + Send + 'static,
    ) -> Result<(Call<A, P, I::Value>, D), Problem> {
        self.find().await?;
        let query = self.query();
        let before: Vec<Fault> = self.path.fault().into_iter().chain(of_headers).collect();
        let AdmittedBody { bytes, share } = self.read().await?;
        let length = bytes.len();
        let turn = self.http.budget.turn_to_decode(length).await;
        let api = Arc::clone(&self.http.api);
        let read = move || {
            let request = decode::body(&bytes, &query, before, |node| I::of_body(&api, &node));
            let decoded = request.map(|request| (request, digest(&bytes), share));
            // The text is not kept beside the decoded value, and is dropped before the turn ends.
            drop((bytes, turn));
            decoded
        };
        let decoded = match length <= DECODED_IN_PLACE {
            true => read(),
            false => elsewhere(read).await,
        };
        let (request, digest, share) = decoded?;
        Ok((self.with(request, share), digest))
    }

    fn with<T>(self, request: T, share: BudgetShare) -> Call<A, P, T> {
        Call {
            api: self.http.api,
            caller: self.caller,
            path: self.path,
            request,
            request_id: self.request_id,
            _share: share,
        }
    }

    fn query(&self) -> Query {
        Query::parse(self.request.uri().query().unwrap_or_default())
    }

    async fn read(&mut self) -> Result<AdmittedBody, Problem> {
        let config = &self.http.config;
        let limits = BodyLimits {
            longest: match self.contract.takes_batches {
                true => config.max_batch_body_bytes,
                false => config.max_body_bytes,
            },
            advice: self.http.reference.advice_on_long_bodies,
            pace: config.pace,
        };
        let request = std::mem::take(&mut self.request);
        AdmittedBody::asked(self.contract.body, request, limits, &self.http.budget).await
    }

    /// An unknown id precedes all other faults of a request.
    fn find(&self) -> impl Future<Output = Result<(), Problem>> + use<A, P> {
        let (api, caller) = (Arc::clone(&self.http.api), Arc::clone(&self.caller));
        let (contract, record) = (Arc::clone(&self.contract), self.path.record());
        async move {
            let Some(record) = record else {
                return Ok(());
            };
            match api.presence(&caller, record).await? {
                Presence::Present => Ok(()),
                Presence::Erased if contract.answers_on_erased => Ok(()),
                Presence::Erased => Err(Problem::new(ProblemType::NOT_FOUND, ERASED)),
                Presence::Absent => Err(Problem::not_found()),
            }
        }
    }
}

/// Adds to a 404 of an operation that the record of its path was erased, if it was.
pub(super) async fn missing<A: Api>(
    api: &A,
    caller: &A::Caller,
    record: Option<A::Record>,
    problem: Problem,
) -> Problem {
    let Some(record) = record else {
        return problem;
    };
    match api.presence(caller, record).await {
        Ok(Presence::Erased) => problem.told_instead(|| ERASED.to_owned()),
        Ok(Presence::Absent | Presence::Present) | Err(_) => problem,
    }
}

/// Runs `work` on a thread that may block.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = oneshot::channel();
    // Boxed, since the runtime's part of a task is compiled anew for every closure.
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        let _ = sender.send(work());
    });
    if let Err(error) = tokio::task::spawn_blocking(work).await {
        std::panic::resume_unwind(error.into_panic());
    }
    done.await.expect("what was done was sent")
}
