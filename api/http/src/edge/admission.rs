//! Admission of requests to routes that are not in a table of operations.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use http::Extensions;
use tokio::time::Instant;

use super::body::{AdmittedBody, BodyBudget, BodyLimits};
use super::rate::{RateDecision, RateLimiter};
use crate::config::HttpConfig;
use crate::decode::{self, Query};
use crate::operation::{BodyKind, Input};
use crate::principal::{Access, Principal};
use crate::problem::Problem;

/// The same limits on bodies and rates as for an API's operations, and the same decoding, for a
/// route that cannot be one of them.
pub struct Admission {
    limits: BodyLimits,
    budget: BodyBudget,
    rates: RateLimiter,
}

impl Admission {
    /// Accepts bodies of up to `longest_body` bytes, at the pace and the rates of `config`.
    #[must_use]
    pub fn new(config: &HttpConfig, longest_body: usize) -> Self {
        let short = config.clone().with_short_bodies(longest_body);
        Self {
            limits: BodyLimits {
                longest: longest_body,
                advice: "",
                pace: config.pace,
            },
            budget: BodyBudget::new(short.max_bytes_in_flight),
            rates: config.rates.clone(),
        }
    }

    /// Input of `request`, from its body or its query.
    ///
    /// # Errors
    /// 415, 413, 503, 408 and 400, as in an API's operations.
    pub async fn asked<A, I: Input<A>>(
        &self,
        api: &A,
        request: Request,
    ) -> Result<I::Value, Problem> {
        let query = Query::parse(request.uri().query().unwrap_or_default());
        if I::BODY == BodyKind::None {
            return decode::query(&query, None, I::of_query);
        }
        let body = AdmittedBody::asked(I::BODY, request, self.limits, &self.budget).await?;
        decode::body(&body.bytes, &query, None, |node| I::of_body(api, &node))
    }

    /// Body of `request`, which must be JSON.
    ///
    /// # Errors
    /// As [`asked`](Self::asked).
    pub async fn read(&self, request: Request) -> Result<AdmittedBody, Problem> {
        AdmittedBody::json(request, self.limits, &self.budget).await
    }

    /// Body of `request`, whatever its Content-Type.
    ///
    /// # Errors
    /// As [`asked`](Self::asked), except 415.
    pub async fn read_any(&self, request: Request) -> Result<AdmittedBody, Problem> {
        AdmittedBody::of_any_type(request, self.limits, &self.budget).await
    }

    /// Counts a call of an authenticated caller.
    pub async fn count(&self, caller: &impl Principal, access: Access) -> RateDecision {
        let key = caller.key_id();
        self.rates.admit(key, access, Instant::now()).await
    }

    /// Returns true if a caller may call from the request's address.
    #[must_use]
    pub fn admits(&self, caller: &impl Principal, request: &Extensions) -> bool {
        may_come(caller, request)
    }

    /// Counts a request without credentials, by its address; `None` if that is not known.
    #[must_use]
    pub fn count_visitor(&self, request: &Extensions, access: Access) -> Option<RateDecision> {
        peer(request).map(|peer| self.rates.admit_visitor(peer, access, Instant::now()))
    }

    /// Counts a request with invalid credentials, by its address; `None` if that is not known.
    #[must_use]
    pub fn count_stranger(&self, request: &Extensions) -> Option<RateDecision> {
        peer(request).map(|peer| self.rates.admit_stranger(peer, Instant::now()))
    }
}

/// Returns true if a caller may call from the request's address.
pub(super) fn may_come(caller: &impl Principal, request: &Extensions) -> bool {
    let may_come = caller.may_call_from(peer(request));
    if !may_come {
        tracing::info!(key.id = %caller.key_id(), "a key is used where it does not work");
    }
    may_come
}

/// The peer's address.
pub(super) fn peer(request: &Extensions) -> Option<IpAddr> {
    let info = request.get::<ConnectInfo<SocketAddr>>();
    info.map(|ConnectInfo(peer)| peer.ip())
}
