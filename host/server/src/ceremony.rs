//! The hosted ceremony: the page behind a signer's link and the JSON calls
//! that the page and the card app use. The token in the address is the only
//! credential.

mod calls;
mod page;
mod parameters;
mod routes;
mod state;
pub(crate) mod texts;

pub(crate) use routes::router;
