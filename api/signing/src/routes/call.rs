//! What all operations do before and after their own part.

use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::Http;
use super::place::Place;
use crate::api::{KeyMode, Presence, Principal, Record, SigningApi};
use crate::decode::{self, Fault, Node, Query};
use crate::edge::{Authenticated, BodyLimits, BudgetShare, JsonBody};
use crate::operation::{Body, Operation};
use crate::problem::{Problem, ProblemKind};

/// A request for an operation, from a caller who may make it.
pub(super) struct Call<A: SigningApi, P> {
    pub(super) http: Http<A>,
    pub(super) caller: Arc<A::Caller>,
    pub(super) place: P,
    pub(super) operation: Operation,
    pub(super) request: Request,
}

/// A [`Call`] whose request was read and is valid.
pub(super) struct Asked<A: SigningApi, P, T> {
    pub(super) http: Http<A>,
    pub(super) caller: Arc<A::Caller>,
    pub(super) place: P,
    pub(super) request: T,
    /// Kept as long as what came out of the body.
    _share: BudgetShare,
}

/// The route of an operation.
pub(super) fn route<A, P, F, R>(operation: Operation, handler: F) -> MethodRouter<Http<A>>
where
    A: SigningApi,
    P: Place,
    F: Fn(Call<A, P>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    let method = MethodFilter::try_from(operation.contract().method)
        .expect("operations have methods of RFC 9110 and RFC 5789");
    on(
        method,
        async move |State(http): State<Http<A>>,
                    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
                    params: Result<RawPathParams, RawPathParamsRejection>,
                    request: Request| {
            if operation.is_for_sandbox_only() && caller.mode() == KeyMode::Live {
                return Err(Problem::of(ProblemKind::SandboxOnly));
            }
            let place = params
                .ok()
                .and_then(|params| P::of(&params))
                .ok_or_else(Problem::not_found)?;
            let call = Call {
                http,
                caller,
                place,
                operation,
                request,
            };
            handler(call).await
        },
    )
}

impl<A: SigningApi, P: Place> Call<A, P> {
    /// Of an operation without body and query.
    pub(super) async fn bare(self) -> Result<Asked<A, P, ()>, Problem> {
        let query = self.query();
        if !query.is_empty() {
            find(
                &self.http,
                &self.caller,
                self.operation,
                self.place.record(),
            )
            .await?;
            decode::query(&query, |query, faults| {
                query.refuse_all(faults);
                Some(())
            })?;
        }
        Ok(self.asked((), BudgetShare::default()))
    }

    /// Of an operation with a body. Bodies are decoded away from the threads
    /// that serve sockets: documents of many megabytes come this way.
    pub(super) async fn with_body<T, F>(self, decode: F) -> Result<Asked<A, P, T>, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&A, &Node<'_>) -> Option<T> + Send + 'static,
    {
        let (asked, _) = self.with_body_and_digest(None, decode, |_| ()).await?;
        Ok(asked)
    }

    /// Of an operation whose body has no members.
    pub(super) async fn with_empty_body(self) -> Result<Asked<A, P, ()>, Problem> {
        self.with_body(|_, node| node.object(|_| Some(()))).await
    }

    /// As [`with_body`](Self::with_body), with a fault that headers have, and
    /// with what `digest` makes of the body.
    pub(super) async fn with_body_and_digest<T, D, F>(
        mut self,
        of_headers: Option<Fault>,
        decode: F,
        digest: impl FnOnce(&[u8]) -> D + Send + 'static,
    ) -> Result<(Asked<A, P, T>, D), Problem>
    where
        T: Send + 'static,
        D: Send + 'static,
        F: FnOnce(&A, &Node<'_>) -> Option<T> + Send + 'static,
    {
        find(
            &self.http,
            &self.caller,
            self.operation,
            self.place.record(),
        )
        .await?;
        let query = self.query();
        let JsonBody { bytes, share } = self.read().await?;
        let api = Arc::clone(&self.http.api);
        let decoding = move || {
            let request = decode::body(&bytes, &query, of_headers, |node| decode(&api, node))?;
            Ok((request, digest(&bytes)))
        };
        let (request, digest) = match tokio::task::spawn_blocking(decoding).await {
            Ok(decoded) => decoded?,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        Ok((self.asked(request, share), digest))
    }

    pub(super) fn query(&self) -> Query {
        Query::parse(self.request.uri().query().unwrap_or_default())
    }

    pub(super) fn asked<T>(self, request: T, share: BudgetShare) -> Asked<A, P, T> {
        Asked {
            http: self.http,
            caller: self.caller,
            place: self.place,
            request,
            _share: share,
        }
    }

    async fn read(&mut self) -> Result<JsonBody, Problem> {
        let config = &self.http.config;
        let limits = BodyLimits {
            longest: match self.operation {
                Operation::CreateBatch => config.max_batch_body_bytes,
                _ => config.max_body_bytes,
            },
            pace: config.pace,
        };
        let request = std::mem::take(&mut self.request);
        let budget = &self.http.budget;
        if let Body::Required(_) = self.operation.contract().body {
            return JsonBody::read(request, limits, budget).await;
        }
        let mut body = JsonBody::read_if_any(request, limits, budget).await?;
        if body.bytes.trim_ascii().is_empty() {
            body.bytes = bytes::Bytes::from_static(b"{}");
        }
        Ok(body)
    }
}

/// An id that stands for nothing comes before all that is wrong with a request
/// beside it.
async fn find<A: SigningApi>(
    http: &Http<A>,
    caller: &A::Caller,
    operation: Operation,
    record: Option<Record>,
) -> Result<(), Problem> {
    let Some(record) = record else {
        return Ok(());
    };
    match http.api.presence(caller, record).await? {
        Presence::Present => Ok(()),
        Presence::Erased if operation.answers_on_erased() => Ok(()),
        Presence::Erased | Presence::Absent => Err(Problem::not_found()),
    }
}
