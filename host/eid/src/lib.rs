//! Clients of the eID providers.
