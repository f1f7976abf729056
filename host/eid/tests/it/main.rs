//! The clients against services that answer from a script, one request at a
//! time.

mod port;
mod requests;
mod sessions;
mod statuses;
