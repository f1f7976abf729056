use std::any::Any;

use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Answer to a request whose handler panicked. The panic's message is logged by the panic hook.
pub(super) fn respond(_: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!("the handler of a request panicked");
    Problem::unavailable("The service had an internal error; nothing was changed.").into_response()
}
