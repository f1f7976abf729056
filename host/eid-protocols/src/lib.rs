//! What a client and a service of an eID provider compute or check alike, to the
//! letter: codes and payloads that both make, identifiers and characters that
//! both take.
//!
//! Both sides of a test share these, so none of them is right because the other
//! side agrees: the tests hold them to what the provider's documents publish.
//! Bodies of requests and answers are not here. Who writes them and who reads
//! them have a form each, and so the one finds what the other has wrong.

pub mod mobile_id;
pub mod smart_id;
