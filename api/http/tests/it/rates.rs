//! Rates of callers, over several surfaces.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use parafa_api_http::{
    Access, Admission, AlreadyCounted, HttpConfig, Principal, RateLimiter, RateLimits,
};
use uuid::Uuid;

use crate::answers::{ask, get};
use crate::tiny::{config, service_with};

const PATH: &str = "/v1/auth/requests/0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";

struct Caller;

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

/// A configuration with one limiter, and this many calls a minute of each kind.
fn config_at(per_minute: u32) -> HttpConfig {
    let per_minute = NonZeroU32::new(per_minute).unwrap();
    let mut config = config();
    config.rates = RateLimiter::new(RateLimits {
        reads_per_minute: per_minute,
        writes_per_minute: per_minute,
    });
    config
}

fn by_a_stranger() -> Request<Body> {
    let mut request = get(PATH);
    request.headers_mut().remove("authorization");
    let peer: SocketAddr = "192.0.2.1:80".parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

async fn status(service: &Router, request: Request<Body>) -> u16 {
    ask(service, request).await.0
}

#[tokio::test]
async fn a_stranger_has_one_allowance_for_all_surfaces_of_one_limiter() {
    let config = config_at(2);
    let (one, other) = (service_with(config.clone()), service_with(config.clone()));
    assert_eq!(status(&one, by_a_stranger()).await, 401);
    assert_eq!(status(&other, by_a_stranger()).await, 401);
    assert_eq!(status(&one, by_a_stranger()).await, 429);
    assert_eq!(status(&other, by_a_stranger()).await, 429);

    let admission = Admission::new(&config, 1024);
    let third = admission.count_stranger(by_a_stranger().extensions());
    assert!(third.unwrap().check().is_err());
    let of_its_own = service_with(config_at(2));
    assert_eq!(status(&of_its_own, by_a_stranger()).await, 401);
}

#[tokio::test]
async fn what_a_surface_in_front_has_counted_is_not_counted_again() {
    let config = config_at(2);
    let service = service_with(config.clone());
    let admission = Admission::new(&config, 1024);
    for _ in 0..2 {
        let counted = admission.count(&Caller, Access::Read).await;
        counted.check().unwrap();
        let mut request = get(PATH);
        request.extensions_mut().insert(AlreadyCounted(counted));
        assert_eq!(status(&service, request).await, 404);
    }
    assert_eq!(status(&service, get(PATH)).await, 429);
}
