use std::any::Any;

use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// The answer to a request whose handler panicked. The panic's message is the
/// panic hook's to log.
pub(super) fn respond(_: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!("the handler of a request panicked");
    Problem::unavailable("The service had an internal error; nothing was changed.").into_response()
}
