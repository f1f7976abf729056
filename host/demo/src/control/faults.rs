use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    routing::put,
};
use serde::Deserialize;

use crate::{
    fault::{Fault, FaultPlan},
    service::Service,
};

/// Maximum number of requests that one call lets fail.
const MAX_TIMES: u16 = 1000;

/// `PUT /control/faults/{service}`: replaces the planned faults.
#[derive(Deserialize)]
struct Planned {
    #[serde(flatten)]
    fault: Fault,
    /// Number of requests; without it, until the fault is cleared.
    times: Option<u16>,
}

type Plans = Arc<Vec<(Service, FaultPlan)>>;

/// `PUT` and `DELETE /faults/{service}`.
pub(super) fn router(plans: Vec<(Service, FaultPlan)>) -> Router {
    Router::new()
        .route("/faults/{service}", put(plan).delete(clear))
        .with_state(Arc::new(plans))
}

async fn plan(
    State(plans): State<Plans>,
    Path(service): Path<Service>,
    Json(planned): Json<Planned>,
) -> StatusCode {
    let Some(plan) = plan_of(&plans, service) else {
        return StatusCode::NOT_FOUND;
    };
    plan.clear();
    match planned.times {
        None => plan.until_cleared(planned.fault),
        Some(times) => {
            for _ in 0..times.min(MAX_TIMES) {
                plan.next(planned.fault);
            }
        }
    }
    StatusCode::NO_CONTENT
}

async fn clear(State(plans): State<Plans>, Path(service): Path<Service>) -> StatusCode {
    let Some(plan) = plan_of(&plans, service) else {
        return StatusCode::NOT_FOUND;
    };
    plan.clear();
    StatusCode::NO_CONTENT
}

fn plan_of(plans: &Plans, service: Service) -> Option<&FaultPlan> {
    let found = plans.iter().find(|(candidate, _)| *candidate == service);
    found.map(|(_, plan)| plan)
}
