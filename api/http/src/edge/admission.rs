//! What stands in front of routes that are in no table of operations.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use bytes::Bytes;
use http::Extensions;
use tokio::time::Instant;

use super::body::{BodyBudget, BodyLimits, BudgetShare, JsonBody};
use super::rate::{RateDecision, RateLimiter};
use crate::config::HttpConfig;
use crate::principal::{Access, Principal};
use crate::problem::Problem;

/// The same limits of bodies and rates as in front of an API's operations, for
/// a route that has to look into the body before it knows what it is asked.
pub struct Admission {
    limits: BodyLimits,
    budget: BodyBudget,
    rates: RateLimiter,
}

/// A JSON body that was admitted. Its bytes count among those in flight as long
/// as it is held.
pub struct AdmittedBody {
    /// As they came.
    pub bytes: Bytes,
    _share: BudgetShare,
}

impl Admission {
    /// Takes bodies of up to `longest_body` bytes, at the pace and the rates of
    /// `config`.
    #[must_use]
    pub fn new(config: &HttpConfig, longest_body: usize) -> Self {
        Self {
            limits: BodyLimits {
                longest: longest_body,
                advice: "",
                pace: config.pace,
            },
            budget: BodyBudget::new(config.max_bytes_in_flight),
            rates: config.rates.clone(),
        }
    }

    /// The body of `request`.
    ///
    /// # Errors
    /// 415, 413, 503, 408 and 400, as an API's operations have them.
    pub async fn read(&self, request: Request) -> Result<AdmittedBody, Problem> {
        let body = JsonBody::read(request, self.limits, &self.budget).await?;
        Ok(AdmittedBody {
            bytes: body.bytes,
            _share: body.share,
        })
    }

    /// Counts a call of somebody who is known.
    pub async fn count(&self, caller: &impl Principal, access: Access) -> RateDecision {
        let key = caller.key_id();
        self.rates.admit(key, access, Instant::now()).await
    }

    /// Counts a request for which nobody has to say who they are, by the
    /// address that it comes from; none where that is not known.
    #[must_use]
    pub fn count_visitor(&self, request: &Extensions, access: Access) -> Option<RateDecision> {
        peer(request).map(|peer| self.rates.admit_visitor(peer, access, Instant::now()))
    }

    /// Counts a request whose credentials do not work, likewise.
    #[must_use]
    pub fn count_stranger(&self, request: &Extensions) -> Option<RateDecision> {
        peer(request).map(|peer| self.rates.admit_stranger(peer, Instant::now()))
    }
}

/// Where a request comes from.
pub(super) fn peer(request: &Extensions) -> Option<IpAddr> {
    let info = request.get::<ConnectInfo<SocketAddr>>();
    info.map(|ConnectInfo(peer)| peer.ip())
}
