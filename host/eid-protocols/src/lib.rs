//! Common ground of a client and a service of an eID provider: codes and payloads that both make,
//! identifiers and characters that both check, names of values that both write.
//!
//! Both sides of a test use these, so their agreement proves nothing: the tests hold them to the
//! provider's published examples. Bodies of requests and answers are not here. Client and service
//! each have their own form of these, so that each finds the other's errors.

pub mod mobile_id;
pub mod smart_id;
