//! The hosted ceremony, over the workflows.

mod api;
pub(crate) mod texts;

pub(crate) use api::router;
