//! The clients against services that answer from a script, one request at a
//! time.

mod authentications;
mod mobile_id;
mod port;
mod requests;
mod sessions;
mod statuses;
